"""What the library keeps."""

from django.db import models


class Author(models.Model):
    name = models.CharField(max_length=80)

    def __str__(self) -> str:
        return self.name


class Tag(models.Model):
    name = models.CharField(max_length=40)

    def __str__(self) -> str:
        return self.name


class Book(models.Model):
    title = models.CharField(max_length=120)
    author = models.ForeignKey(Author, on_delete=models.CASCADE)
    published = models.DateField()
    kind = models.CharField(
        max_length=10, choices=[("novel", "Novel"), ("essay", "Essay"), ("poem", "Poem")], default="novel"
    )
    pages = models.PositiveIntegerField(default=100)
    lent = models.BooleanField(default=False)
    notes = models.TextField(blank=True)
    tags = models.ManyToManyField(Tag, blank=True)

    def __str__(self) -> str:
        return self.title
