/** What the page of the audit log says. */
export const texts = {
  title: 'Audit log',
  note: 'Who changed what. Reads and sends are in Logs.',
  exportCsv: 'Export CSV',
  label: 'Audit events',
  many: 'events',
  empty: 'No events yet',
  columns: { action: 'Action', actor: 'Actor', ipAddress: 'IP address', time: 'Time' },
  filters: { action: 'Action', allActions: 'All actions', actorId: 'Actor ID', objectId: 'Object ID' },
  namedActors: {
    user: '{name}',
    api_key: 'API key {name}',
    oauth_token: '{name}',
    smtp: 'SMTP {name}',
    automation: 'Automation {name}',
    system: '{name}',
  },
  unnamedActors: {
    user: '',
    api_key: 'API key',
    oauth_token: '',
    smtp: 'SMTP',
    automation: 'Automation',
    system: 'Postwren',
  },
  actorTitle: 'All actions of this actor',
  viewLog: 'View log',
}
