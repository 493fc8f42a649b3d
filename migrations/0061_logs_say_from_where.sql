-- Who called as it was called then, and from where: keys get other names, and are deleted.
alter table request_logs add column actor_name text, add column ip_address text;
