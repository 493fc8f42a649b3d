create table contact_properties (
  team_id uuid not null references teams (id) on delete cascade,
  id uuid not null,
  key text not null,
  type text not null constraint contact_properties_type_known check (type in ('string', 'number')),
  fallback_value jsonb,
  created_at timestamptz not null default now(),
  primary key (team_id, id),
  constraint contact_properties_key_unique unique (team_id, key),
  constraint contact_properties_fallback_fits check (fallback_value is null or jsonb_typeof(fallback_value) = type)
);
