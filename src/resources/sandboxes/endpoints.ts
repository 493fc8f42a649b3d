import { IdParams } from '../../http/shapes.ts'
import { sql } from '../../platform/db/sql.ts'
import { endpoint, list } from '../definitions.ts'
import { notYet } from '../not-yet.ts'
import { CreateSandbox, DeletedSandbox, NewSandbox, Sandbox, SandboxItem } from './schema.ts'

export const sandboxEndpoints = [
  endpoint({
    id: 'sandboxes.create',
    route: 'POST /sandboxes',
    summary: 'Create a sandbox',
    description:
      'A team of its own for one test: everything of the API works in it, nothing leaves it, and it goes with all that is in it.',
    status: 201,
    audited: false,
    body: CreateSandbox,
    reply: NewSandbox,
    run: async () => notYet(),
  }),
  list({
    id: 'sandboxes.list',
    route: 'GET /sandboxes',
    summary: 'List sandboxes',
    item: SandboxItem,
    unlimited: 20,
    rows: ({ actor }) => ({
      columns: sql`s.id`,
      from: sql`sandboxes s`,
      where: sql`s.team_id = ${actor.team}`,
      id: sql`s.id`,
    }),
  }),
  endpoint({
    id: 'sandboxes.get',
    route: 'GET /sandboxes/:id',
    summary: 'Retrieve a sandbox',
    params: IdParams,
    reply: Sandbox,
    run: async () => notYet(),
  }),
  endpoint({
    id: 'sandboxes.remove',
    route: 'DELETE /sandboxes/:id',
    summary: 'Delete a sandbox',
    audited: false,
    params: IdParams,
    reply: DeletedSandbox,
    run: async () => notYet(),
  }),
]
