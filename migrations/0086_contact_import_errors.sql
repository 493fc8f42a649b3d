-- Rows of imported files that became no contact, and why: the first thousand of each import.
create table contact_import_errors (
  team_id uuid not null,
  import_id uuid not null,
  id uuid not null,
  row_number bigint not null,
  column_name text,
  value text,
  reason text not null,
  record json not null,
  constraint contact_import_errors_pkey primary key (team_id, import_id, id),
  constraint contact_import_errors_import_fkey foreign key (team_id, import_id) references contact_imports (team_id, id) on delete cascade
);

comment on table contact_import_errors is 'Rows of imported files that became no contact, and why.';
comment on column contact_import_errors.row_number is 'In the file, without empty lines; the header is 1.';
comment on column contact_import_errors.record is 'The cells of the row by the names of their columns, cut where they are long.';
