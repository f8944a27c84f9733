"""How each family of instructions is carried out and checked: functions of an instruction and a scene."""
