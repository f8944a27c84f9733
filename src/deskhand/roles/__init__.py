"""Who decides: workers, planner and judge; they know devices and models only as Protocols."""
