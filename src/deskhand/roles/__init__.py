"""The roles: workers, planner, judge, coach and assistant. They know devices and models only as Protocols."""
