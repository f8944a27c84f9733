"""Exams: goals on programs that nobody here wrote, judged by the program's own state. `make exams`, docs/exams.md."""
