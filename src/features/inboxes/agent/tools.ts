import type { Tool, ToolCall } from '../../../adapters/model/protocol.ts'
import { ACTIONS, type AgentAction } from './schema.ts'
import { allowedActions, forwardTargets, type Move, objectionTo, type Situation } from './situation.ts'
import { beginning, plainLine } from './strange-text.ts'

// What a model is offered, and what it answers. An answer is a wish: `readWish` holds it against the situation of the moment, and
// whatever the model was offered before, told by a mail or made up counts for nothing.

/** Something that the agent may do and wants to do. */
export type Wish =
  | { readonly action: 'draft_reply'; readonly reason: string; readonly text: string }
  | { readonly action: 'forward_thread'; readonly reason: string; readonly to: string; readonly note: string }
  | { readonly action: 'add_labels'; readonly reason: string; readonly labels: Situation['labels'] }
  | { readonly action: 'assign_thread'; readonly reason: string; readonly to: string }
  | { readonly action: Move; readonly reason: string }

export interface Refusal {
  /** Null: a model may call what it likes, and this is nothing that we know. */
  readonly action: AgentAction | null
  readonly reason: string
  readonly refused: string
}

const LONGEST_REASON = 500
const LONGEST_REPLY = 20_000
const LONGEST_NOTE = 2_000
/** As many as the API adds at once. */
const MOST_LABELS = 10
/** A list that is longer than this is no choice any more. */
const MOST_CHOICES = 200

const text = (description: string) => ({ type: 'string', description })
const choice = (description: string, values: readonly string[]) => ({
  type: 'string',
  description,
  enum: values.slice(0, MOST_CHOICES),
})

const REASON = { reason: text('Why, in one sentence, for the people of the team.') }

/** The tools for what may be done now. */
export const toolsFor = (situation: Situation): Tool[] =>
  allowedActions(situation).map((action) => {
    const { description, properties } = TOOLS[action](situation)
    const all = { ...properties, ...REASON }
    // A note is the only thing that may be left out.
    const required = Object.keys(all).filter((name) => name !== 'note')
    const parameters = { type: 'object', properties: all, required, additionalProperties: false }
    return { name: action, description, parameters }
  })

const TOOLS: Record<AgentAction, (situation: Situation) => { description: string; properties: object }> = {
  draft_reply: () => ({
    description:
      'Write a draft of a reply to the sender. A person of the team reads it, changes it and sends it, or does not.',
    properties: { text: text('The reply as plain text, without the subject and without the quoted message.') },
  }),
  forward_thread: (situation) => ({
    description: 'Forward the new message, with its attachments, to somebody whom the team has named.',
    properties: {
      to: choice('To whom.', forwardTargets(situation)),
      note: text('A line or two above the forwarded message, as plain text.'),
    },
  }),
  add_labels: (situation) => ({
    description: 'Add labels to the thread.',
    properties: {
      labels: {
        type: 'array',
        description: 'The names of the labels.',
        items: choice('A label.', missingLabels(situation)),
        minItems: 1,
        maxItems: MOST_LABELS,
      },
    },
  }),
  assign_thread: ({ members }) => ({
    description: 'Assign the thread to a member of the team.',
    properties: { to: choice('To whom.', members) },
  }),
  mark_as_spam: () => ({ description: 'Move the thread to the folder for spam.', properties: {} }),
  archive: () => ({
    description: 'Move the thread out of the inbox, because nobody needs to do anything about it.',
    properties: {},
  }),
  move_to_trash: () => ({
    description: 'Move the thread to the trash, where it is deleted after 30 days.',
    properties: {},
  }),
}

const missingLabels = ({ labels, thread }: Situation) =>
  labels.filter(({ id }) => !thread.labels.includes(id)).map(({ name }) => name)

export function readWish({ name, input }: Pick<ToolCall, 'name' | 'input'>, situation: Situation): Wish | Refusal {
  const action = ACTIONS.find((one) => one === name)
  const reason = typeof input?.reason === 'string' ? plainLine(input.reason, LONGEST_REASON) : ''
  const refuse = (refused: string): Refusal => ({ action: action ?? null, reason, refused })
  if (!action) return refuse('There is no such tool.')
  const objection = objectionTo(action, situation)
  if (objection) return refuse(objection)
  if (!input) return refuse('The arguments are not a JSON object.')
  if (reason === '') return refuse('A `reason` is needed.')
  switch (action) {
    case 'draft_reply': {
      const reply = readText(input.text, LONGEST_REPLY)
      return reply ? { action, reason, text: reply } : refuse('A `text` is needed.')
    }
    case 'forward_thread': {
      const to = readChoice(input.to, forwardTargets(situation))
      return to ? { action, reason, to, note: readText(input.note, LONGEST_NOTE) } : refuse(NOT_A_TARGET)
    }
    case 'add_labels': {
      const labels = readLabels(input.labels, situation)
      return typeof labels === 'string' ? refuse(labels) : { action, reason, labels }
    }
    case 'assign_thread': {
      const to = readChoice(input.to, situation.members)
      return to ? { action, reason, to } : refuse('The thread can only be assigned to a member of the team.')
    }
    case 'mark_as_spam':
    case 'archive':
    case 'move_to_trash':
      return { action, reason }
  }
}

const NOT_A_TARGET = 'Mail is only forwarded to the addresses that the settings name.'

/** One of these, as it is spelled there. */
const readChoice = (given: unknown, choices: readonly string[]): string | undefined =>
  typeof given === 'string' ? choices.find((one) => one.toLowerCase() === given.trim().toLowerCase()) : undefined

function readLabels(given: unknown, { labels, thread }: Situation): Situation['labels'] | string {
  const names = Array.isArray(given) ? given : [given]
  if (names.length === 0 || names.length > MOST_LABELS) return `Name 1 to ${MOST_LABELS} labels.`
  const found = names.map((name) =>
    labels.find((label) => typeof name === 'string' && label.name.toLowerCase() === name.trim().toLowerCase()),
  )
  const known = found.filter((label) => label !== undefined)
  if (known.length < found.length) return 'Only labels of this inbox can be added.'
  const missing = [...new Set(known)].filter(({ id }) => !thread.labels.includes(id))
  return missing.length > 0 ? missing : 'The thread has these labels.'
}

/** Control characters are no text, and would be refused by whoever keeps it. */
const readText = (given: unknown, longest: number): string =>
  typeof given === 'string'
    ? beginning(
        given
          .replace(/\r\n?/g, '\n')
          // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
          .replace(/[\u0000-\u0008\u000b-\u001f\u007f]|\p{Cs}/gu, '')
          .trim(),
        longest,
      )
    : ''
