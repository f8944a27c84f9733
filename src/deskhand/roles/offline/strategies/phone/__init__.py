"""What phones have that other devices have not: alarms, timers, a camera, networks, notes, the weather."""
