-- What has failed for good is counted for the metrics and deleted when it is old. Without an index either walks all jobs there are.
create index jobs_failed on jobs (failed_at) where failed_at is not null;
