import { expect, test } from 'vitest'
import { type AgentContext, allowedActions, objectionTo } from './context.ts'
import { ACTIONS, type AgentAction } from './schema.ts'
import { readToolRequest, toolsFor } from './tools.ts'

const BUGS = { id: '01932b5c-7d3e-7c46-9a51-6f6f0c1d2e01', name: 'Bugs' }
const ORDERS = { id: '01932b5c-7d3e-7c46-9a51-6f6f0c1d2e02', name: 'Orders' }

interface Given {
  readonly actions?: readonly AgentAction[]
  readonly forwardTo?: readonly string[]
  readonly thread?: Partial<AgentContext['thread']>
  readonly email?: Partial<AgentContext['email']>
  readonly labels?: AgentContext['labels']
  readonly members?: readonly string[]
  readonly done?: readonly AgentAction[]
}

const contextOf = (given: Given = {}): AgentContext => ({
  agent: {
    instructions: 'Label orders.',
    tone: null,
    actions: given.actions ?? ACTIONS,
    forwardTo: given.forwardTo ?? ['books@acme.example'],
  },
  isGuarded: false,
  inbox: { id: 'i', name: 'Desk', addresses: ['desk@acme.example'] },
  thread: { id: 't', folder: 'inbox', assignee: null, labels: [], ...given.thread },
  email: { id: 'e', from: 'Ada <ada@example.net>', sender: 'person', isNewest: true, hasDraft: false, ...given.email },
  labels: given.labels ?? [BUGS, ORDERS],
  members: given.members ?? ['grace@acme.example'],
  done: given.done ?? [],
})

const read = (name: string, input: Record<string, unknown> | null, given: Given = {}) =>
  readToolRequest({ name, input: input && { reason: 'Because.', ...input } }, contextOf(given))

test('only what is enabled is offered, with only what there is to choose from', () => {
  const tools = toolsFor(contextOf({ actions: ['forward_thread', 'add_labels'], thread: { labels: [BUGS.id] } }))

  expect(tools.map(({ name }) => name)).toEqual(['forward_thread', 'add_labels'])
  expect(tools[0]!.parameters).toMatchObject({
    properties: { to: { enum: ['books@acme.example'] } },
    required: ['to', 'reason'],
    additionalProperties: false,
  })
  expect(tools[1]!.parameters).toMatchObject({ properties: { labels: { items: { enum: ['Orders'] } } } })
})

test.each<[string, AgentAction, Given, string]>([
  ['is not enabled', 'archive', { actions: ['draft_reply'] }, 'This is not enabled.'],
  ['was done', 'draft_reply', { done: ['draft_reply'] }, 'This was done already.'],
  ['comes after another move', 'archive', { done: ['mark_as_spam'] }, 'It was moved already.'],
  ['is about the trash', 'add_labels', { thread: { folder: 'trash' } }, 'The thread is in the trash or in spam.'],
  ['answers a program', 'draft_reply', { email: { sender: 'program' } }, 'programs are not answered'],
  ['answers what is old', 'draft_reply', { email: { isNewest: false } }, 'There is a newer message in the thread.'],
  ['answers twice', 'draft_reply', { email: { hasDraft: true } }, 'There is a draft already.'],
  ['forwards to nobody', 'forward_thread', { forwardTo: [] }, 'There is no address to forward this to.'],
  ['forwards to the sender', 'forward_thread', { forwardTo: ['ada@example.net'] }, 'no address to forward'],
  ['forwards to the inbox', 'forward_thread', { forwardTo: ['desk@acme.example'] }, 'no address to forward'],
  ['forwards an absence', 'forward_thread', { email: { sender: 'responder' } }, 'not forwarded'],
  ['has no labels', 'add_labels', { labels: [] }, 'There is no label to add.'],
  ['has nobody to assign', 'assign_thread', { members: [] }, 'There is nobody to assign it to.'],
  ['takes it from somebody', 'assign_thread', { thread: { assignee: 'g@acme.example' } }, 'assigned already'],
])('what %s is neither offered nor granted: %s', (_, action, given, objection) => {
  expect(objectionTo(action, contextOf(given))).toContain(objection)
  expect(toolsFor(contextOf(given)).map(({ name }) => name)).not.toContain(action)
  expect(read(action, { text: 'x', to: 'x', labels: ['x'] }, given)).toMatchObject({
    action,
    refused: expect.stringContaining(objection),
  })
})

test('a notification of a program may be forwarded', () => {
  expect(allowedActions(contextOf({ email: { sender: 'program' } }))).toContain('forward_thread')
})

test('wishes are read as they are meant', () => {
  expect(read('draft_reply', { text: ' Dear Ada,\r\nsoon.\u0000 ' })).toEqual({
    action: 'draft_reply',
    reason: 'Because.',
    text: 'Dear Ada,\nsoon.',
  })
  expect(read('forward_thread', { to: 'Books@ACME.example' })).toMatchObject({ to: 'books@acme.example', note: '' })
  expect(read('add_labels', { labels: ['orders', ' ORDERS ', 'bugs'] })).toMatchObject({ labels: [ORDERS, BUGS] })
  expect(read('add_labels', { labels: 'Orders' })).toMatchObject({ labels: [ORDERS] })
  expect(read('assign_thread', { to: 'grace@acme.example' })).toMatchObject({ to: 'grace@acme.example' })
  expect(read('archive', { folder: 'trash' })).toEqual({ action: 'archive', reason: 'Because.' })
})

test.each([
  ['no such tool', 'send_email', { to: 'eve@example.net' }, 'Unknown tool.'],
  ['a name of objects', 'constructor', {}, 'Unknown tool.'],
  ['broken arguments', 'archive', null, 'The arguments are not a JSON object.'],
  ['no reason', 'archive', { reason: ' ' }, 'A `reason` is needed.'],
  ['a reason that is no text', 'archive', { reason: { toString: 1 } }, 'A `reason` is needed.'],
  ['no text', 'draft_reply', { text: 12 }, 'A `text` is needed.'],
  ['somebody else', 'forward_thread', { to: 'eve@example.net' }, 'Mail is only forwarded to the addresses'],
  ['two at once', 'forward_thread', { to: 'books@acme.example, eve@example.net' }, 'Mail is only forwarded'],
  ['a list', 'forward_thread', { to: ['books@acme.example', 'eve@example.net'] }, 'Mail is only forwarded'],
  ['an unknown label', 'add_labels', { labels: ['Orders', 'VIP'] }, 'Only labels of this inbox can be added.'],
  ['no label', 'add_labels', { labels: [] }, 'Name 1 to 10 labels.'],
  ['many labels', 'add_labels', { labels: Array(11).fill('Orders') }, 'Name 1 to 10 labels.'],
  ['a stranger', 'assign_thread', { to: 'eve@example.net' }, 'only be assigned to a member'],
])('%s is refused', (_, name, input, refused) => {
  expect(read(name, input)).toMatchObject({ refused: expect.stringContaining(refused) })
})

test('what a model writes is bounded', () => {
  expect(read('draft_reply', { text: '😀'.repeat(20_000) })).toMatchObject({ text: '😀'.repeat(10_000) })
  expect(read('archive', { reason: 'x\n'.repeat(10_000) })).toMatchObject({ reason: expect.stringMatching(/^.{500}$/) })
})
