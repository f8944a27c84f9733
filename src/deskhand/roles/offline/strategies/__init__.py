"""Carries out and checks each family of instructions: functions of an instruction and a scene."""
