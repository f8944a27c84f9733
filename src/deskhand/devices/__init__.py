"""What can be worked on: browser, desktop, phones. Devices do, never decide.

A task sees a device through two wrappers, each a `core.device_wrapper.DeviceWrapper`:

    engine ──► GuardedDevice      engine/secrets: fills in secrets on the way down, hides them on the way up
                └► LeasedDevice   devices/pool: refuses every call as soon as the lease is over
                    └► browser · desktop · android (simulated phones, too)
"""
