"""Android phones, real or simulated, over adb."""
