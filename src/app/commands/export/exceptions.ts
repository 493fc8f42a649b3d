// What an export leaves out, and why. docs/export-format.md lists it; a table is either exported or in here.

const DERIVED = 'Derived from other kinds; made again after an import.'
const LEASE = 'A lease of a process or a browser; it ends by itself.'
const SANDBOX = 'Sandboxes are left out: teams with an end, made for tests.'
const SIGNED_IN = 'People and keys sign in again at the other installation.'
const OF_INSTALLATION = 'Belongs to the installation, not to a team.'

const OF_CELLS = `${OF_INSTALLATION} Which teams move between cells, and to which.`

/** Tables, each with the reason. */
export const NOT_EXPORTED: Readonly<Record<string, string>> = {
  approval_notices:
    'Links in mail to approvers lead to this installation; the dashboard of the other one shows what waits.',
  arriving_rows: OF_CELLS,
  attempt_watches: LEASE,
  automation_next_due: DERIVED,
  cell_keys: OF_CELLS,
  delivery_holds: `${OF_INSTALLATION} Its operators hold mail back, not those of another one.`,
  delivery_reports: 'Bounces that have arrived and are read within seconds; they become events.',
  acme_accounts: 'Who this installation is to an authority; another one makes an account of its own.',
  acme_challenges: 'What an authority asks for while it issues a certificate.',
  certificates: 'Of the names of this installation, with its keys; they are issued again.',
  tls_report_counts: 'About sessions of this installation; they are of a few days.',
  tls_reports: 'Which reports this installation has sent in the last days.',
  mta_sts_policies: 'What other domains say about their mail servers; it is fetched again.',
  delivery_ceilings: `${OF_INSTALLATION} What its addresses may send where.`,
  delivery_pauses: 'How destinations see the addresses and domains of this installation; another one has others.',
  destination_stops: 'Destinations that take no mail of this installation at the moment; another one finds it out.',
  destination_pauses: 'How destinations see the addresses of this installation; another one has others.',
  digest_keys: 'In `secrets.jsonl`, if a team has erased addresses on its suppression list.',
  domain_report_mails: 'Reports that have arrived and are read within seconds.',
  editor_connections: LEASE,
  email_documents: DERIVED,
  emails_by_status: DERIVED,
  inbox_viewers: LEASE,
  installation_health: `${OF_INSTALLATION} What was found of its addresses; another one has others.`,
  loose_blobs: 'Blobs that nothing names.',
  metric_backfills: 'Counters that are still to be added up here.',
  metric_sums: DERIVED,
  moved_domains: OF_CELLS,
  moved_keys: OF_CELLS,
  nodes: LEASE,
  oauth_codes: 'Valid for ten minutes; the program asks again.',
  oauth_keys: `${OF_INSTALLATION} Programs get new access tokens with their refresh tokens.`,
  outbox_batches: 'Always empty; the tables that inherit from it are exported.',
  outbox_notes: 'Always empty; the tables that inherit from it are exported.',
  pace_changes: 'How fast destinations take mail of this installation; another one finds it out.',
  delivery_routes: 'Which ways out of this installation take mail; another one has its own.',
  pace_controllers: 'How fast destinations take mail of this installation; another one finds it out.',
  personal_data_requests: `${OF_INSTALLATION} Searches of this one.`,
  warm_ups: 'How well providers know the addresses and domains of this installation; another one has others.',
  restored_backups: OF_INSTALLATION,
  retired_secret_keys: `${OF_INSTALLATION} What they have signed leads back to it.`,
  sandbox_clocks: SANDBOX,
  sandbox_counts: SANDBOX,
  sandbox_numbers: SANDBOX,
  sandbox_scenarios: SANDBOX,
  sandboxes: SANDBOX,
  schema_migrations: `${OF_INSTALLATION} The manifest names the last migration.`,
  received_documents: DERIVED,
  search_changes: DERIVED,
  search_documents: DERIVED,
  search_progress: DERIVED,
  secret_key_mark: `${OF_INSTALLATION} Secrets are sealed anew with the key of the other one.`,
  sessions: SIGNED_IN,
  sign_in_links: SIGNED_IN,
  spent_challenges: SIGNED_IN,
  team_limit_changes: DERIVED,
  team_moves: OF_CELLS,
  uncounted_events: 'Always empty.',
  user_sessions: SIGNED_IN,
  webhook_next_due: DERIVED,
}

/** Columns, each with the reason. Besides, every `holder` (the process that has claimed a row) and every generated column. */
export const OMITTED_COLUMNS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  api_keys: { is_from_settings: '`POSTWREN_API_KEY` of the other installation names another key.' },
  domain_keys: { private_key: 'In `secrets.jsonl`.' },
  email_bodies: { content: 'Html and text in a form of our own; they are written as `html` and `text`.' },
  jobs: { is_alone: 'Said of a job while it runs.' },
  outbox: { xid: 'The number of a transaction, which means nothing to another server.' },
  teams: {
    delete_at: 'A team that was about to be deleted is not when it is imported.',
    is_being_deleted: 'The same.',
    is_sandbox: SANDBOX,
    is_system:
      'The team of the installation itself, with the sign-in links and invitations that it has sent, is left out.',
  },
  webhook_secrets: { secret: 'In `secrets.jsonl`.' },
}

/** Background work that goes along with its team: whatever was begun is finished by the other installation. */
export const EXPORTED_JOBS: readonly string[] = [
  'approvals.expire',
  'approvals.notify',
  'automations.cancel',
  'automations.remove',
  'broadcasts.cancel',
  'broadcasts.send',
  'contacts.import',
  'domains.claims.verify',
  'domains.diagnose',
  'domains.verify',
  'inboxes.agent',
  'inboxes.drafts.send',
  'inboxes.labels.strip',
  'inboxes.remove',
  'inboxes.threads.remove',
  'policies.judge-scheduled',
  'received-emails.authenticate',
  'received-emails.read',
  'received-emails.read-complaint',
  'webhooks.delete-log',
  'webhooks.replay',
]

/** Background work that stays, and why. */
export const LEFT_JOBS: Readonly<Record<string, string>> = {
  'domains.post-installation-change': 'Tells the operators of this installation what has changed in it.',
  'people.mail-link': 'Mails a sign-in link of this installation.',
  'received-emails.read-domain-report': 'Belongs to `domain_report_mails`, which is left out.',
  'received-emails.read-report': 'Belongs to `delivery_reports`, which is left out.',
  'personal-data.empty-logs': 'Goes through the logs of this installation. A team does not move before it has run.',
  'personal-data.late-logs': 'Goes through the logs of this installation. A team does not move before it has run.',
  'personal-data.perform':
    'Belongs to `personal_data_requests`, which is left out. A team does not move before it has run.',
  'policies.tell-refusals': 'Tells dashboards that are open here.',
  'scenario.act': SANDBOX,
  'teams.delete': 'Belongs to `delete_at`, which is left out.',
}
