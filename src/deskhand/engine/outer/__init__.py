"""The outer loop: plan, assign, watch, gate, replan, finish. It reaches the inner loop by commands only."""
