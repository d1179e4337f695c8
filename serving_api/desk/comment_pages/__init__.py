"""What people say under the posts: signals, feelings, and the comments themselves."""
