import Type, { type Static } from 'typebox'
import { JsonText } from '../../kernel/http/endpoint.ts'
import { found } from '../../kernel/http/problem.ts'
import { findRow } from '../../kernel/http/rows.ts'
import { Id, present } from '../../kernel/http/shapes.ts'
import { searchRows } from '../../kernel/search/list.ts'
import { endpoint, list } from '../definitions.ts'
import { findBodies, logRows } from './queries.ts'
import { LogEntry, LogFilter, LogItem } from './schema.ts'
import { logSearch } from './search.ts'

export const logEndpoints = [
  list({
    id: 'logs.list',
    route: 'GET /logs',
    summary: 'List logs',
    item: LogItem,
    query: LogFilter,
    unlimited: 20,
    rows: ({ query: { q }, window, services: { db }, actor: { team } }) =>
      searchRows(db, team, { searchable: logSearch, q, rows: logRows(team), window }),
  }),
  endpoint({
    id: 'logs.get',
    access: 'content',
    route: 'GET /logs/:logId',
    summary: 'Retrieve a log',
    params: Type.Object({ logId: Id }),
    reply: LogEntry,
    async run({ params, services: { db }, actor: { team } }) {
      const entry = found(await findRow<Static<typeof LogItem>>(db, logRows(team), params.logId), 'Log')
      const bodies = found(await findBodies(db, team, params.logId), 'Log')
      // The bodies are JSON text already; whatever their depth or size, they are passed on and not parsed.
      const head = JSON.stringify(present('log', entry)).slice(0, -1)
      return new JsonText(
        `${head},"request_body":${bodies.request_body ?? 'null'},"response_body":${bodies.response_body ?? 'null'}}`,
      )
    },
  }),
]
