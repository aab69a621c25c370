"""What the policy proof plays with: cases of every kind of rule, whose right answer is known without asking the policy."""
