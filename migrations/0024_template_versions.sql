-- What was published once is kept, so that it can be looked at and taken up again.
alter table template_versions add column published_at timestamptz;

update template_versions v set published_at = t.published_at
from templates t where t.team_id = v.team_id and t.published_version_id = v.id;
