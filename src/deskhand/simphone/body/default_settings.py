"""The values that a fresh phone has in its settings tables."""

from __future__ import annotations

from deskhand.simphone.ui.soft_keyboard import LATIN_IME


def make_default_settings() -> dict[str, dict[str, str]]:
    return {
        "system": {
            "screen_brightness": "128",
            "screen_brightness_mode": "0",
            "screen_off_timeout": "60000",
            "accelerometer_rotation": "0",
            "user_rotation": "0",
            "font_scale": "1.0",
            "volume_music": "8",
            "volume_ring": "5",
            "volume_alarm": "6",
            "vibrate_when_ringing": "1",
        },
        "secure": {
            "default_input_method": LATIN_IME,
            "ui_night_mode": "1",
            "location_mode": "3",
            "android_id": "5f1c0de5eed0a11d",
        },
        "global": {
            "wifi_on": "0",
            "bluetooth_on": "0",
            "airplane_mode_on": "0",
            "mobile_data": "1",
            "low_power": "0",
            "adb_enabled": "1",
            "zen_mode": "0",
            "window_animation_scale": "1.0",
            "transition_animation_scale": "1.0",
            "animator_duration_scale": "1.0",
            "device_name": "Deskhand Phone",
        },
    }
