import Type from 'typebox'
import { endpoint, list } from '../definitions.ts'
import { csvOf } from './export.ts'
import { auditRows } from './queries.ts'
import { AuditEventItem, AuditFilter } from './schema.ts'

export const auditEventEndpoints = [
  list({
    id: 'audit-events.list',
    access: 'audit',
    route: 'GET /audit-events',
    summary: 'List audit events',
    description: 'Newest first. Reads and sends are in Logs.',
    query: AuditFilter,
    item: AuditEventItem,
    unlimited: 20,
    rows: ({ query, services: { clock }, actor: { team } }) => auditRows(clock, team, query),
  }),
  endpoint({
    id: 'audit-events.export',
    access: 'audit',
    route: 'GET /audit-events/export',
    summary: 'Export audit events',
    description: 'All matching events, as a CSV file.',
    query: AuditFilter,
    replyType: 'text/csv',
    reply: Type.String(),
    async run({ query, services: { db, clock }, actor: { team } }) {
      const rows = auditRows(clock, team, query)
      // Before anything is read: whoever may not read more long lists does not make us begin with them either.
      db.shares.lists.requireFree(team)
      return csvOf(db, rows)
    },
  }),
]
