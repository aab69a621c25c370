"""The ports on AWS: the only place that imports boto3. No ClientError leaves this package."""
