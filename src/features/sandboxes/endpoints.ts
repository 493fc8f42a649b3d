import { found } from '../../kernel/http/problem.ts'
import { findRow } from '../../kernel/http/rows.ts'
import { IdParams, present } from '../../kernel/http/shapes.ts'
import { deletionAfter, endpoint, list } from '../definitions.ts'
import { addSandbox, removeSandbox } from './actions.ts'
import { sandboxRows } from './queries.ts'
import { CreateSandbox, DeletedSandbox, NewSandbox, Sandbox, SandboxItem, type SandboxRow } from './schema.ts'

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
    run: ({ body, services, actor }) => addSandbox(services, actor, body),
  }),
  list({
    id: 'sandboxes.list',
    route: 'GET /sandboxes',
    summary: 'List sandboxes',
    item: SandboxItem,
    unlimited: 20,
    rows: ({ actor, services }) => sandboxRows(actor.team, services.clock.now()),
  }),
  endpoint({
    id: 'sandboxes.get',
    route: 'GET /sandboxes/:id',
    summary: 'Retrieve a sandbox',
    params: IdParams,
    reply: Sandbox,
    async run({ params, services, actor }) {
      const rows = sandboxRows(actor.team, services.clock.now())
      return present('sandbox', found(await findRow<SandboxRow>(services.db, rows, params.id), 'Sandbox'))
    },
  }),
  endpoint({
    id: 'sandboxes.remove',
    route: 'DELETE /sandboxes/:id',
    summary: 'Delete a sandbox',
    description: 'Its key stops working at once, and everything that is in it is deleted.',
    audited: false,
    params: IdParams,
    reply: DeletedSandbox,
    run: deletionAfter('sandbox', removeSandbox),
  }),
]
