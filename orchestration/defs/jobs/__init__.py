"""What runs together, and when: jobs, schedules, sensors."""
