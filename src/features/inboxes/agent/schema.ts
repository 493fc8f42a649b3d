import Type from 'typebox'
import { CLEARABLE, Id, IsoTimestamp, nullable, oneOf } from '../../../kernel/http/shapes.ts'
import { hintedReference, Policy } from '../../policies/schema.ts'

export const ACTIONS = [
  'draft_reply',
  'forward_thread',
  'add_labels',
  'assign_thread',
  'mark_as_spam',
  'archive',
  'move_to_trash',
] as const
export type AgentAction = (typeof ACTIONS)[number]

/** Other names that clients have for two of them. */
export const ACTION_ALIASES: Readonly<Record<string, AgentAction>> = {
  archive_thread: 'archive',
  delete_thread: 'move_to_trash',
}

export const TONES = ['concise_professional', 'concise_casual', 'expanded_professional', 'expanded_casual'] as const

const Instructions = nullable(Type.String({ maxLength: 4_000 }))
const Tone = nullable(Type.String({ maxLength: 64, description: `One of ${TONES.join(', ')}, or a few words.` }))
// An empty list is no mistake here, but how everything is switched off.
const ActionNames = Type.Array(oneOf([...ACTIONS, ...Object.keys(ACTION_ALIASES)]), { ...CLEARABLE, maxItems: 20 })
const ForwardTo = Type.Array(Type.String({ format: 'email' }), {
  ...CLEARABLE,
  maxItems: 20,
  description: 'Addresses the agent may forward to.',
})

export const Agent = Type.Object(
  {
    object: Type.Literal('inbox_agent'),
    instructions: Instructions,
    tone: Tone,
    actions: Type.Array(oneOf(ACTIONS)),
    enabled_actions: Type.Array(oneOf(ACTIONS)),
    forward_to: ForwardTo,
    policy: nullable(Policy),
    is_available: Type.Boolean({ description: 'Whether a model is configured.' }),
    runs_today: Type.Integer(),
    runs_per_day: Type.Integer({ description: 'Messages the agent handles per day, at most.' }),
  },
  { title: 'InboxAgent' },
)

export const UpdateAgent = Type.Object(
  {
    instructions: Type.Optional(Instructions),
    tone: Type.Optional(Tone),
    actions: Type.Optional(ActionNames),
    enabled_actions: Type.Optional(ActionNames),
    forward_to: Type.Optional(ForwardTo),
    policy: Type.Optional(
      Type.Union([Policy, Type.Null()], {
        ...CLEARABLE,
        description: 'What mail that the agent sends is allowed to be. Null removes the policy.',
      }),
    ),
  },
  { title: 'UpdateInboxAgent' },
)

export const AgentReference = hintedReference('inbox_agent')

export const AgentAct = Type.Object({
  action: oneOf(ACTIONS),
  reason: Type.String({ description: 'Reason given by the model.' }),
  outcome: oneOf(['done', 'refused']),
  detail: nullable(Type.String({ description: 'What was done, or why it was rejected.' })),
})

export const AgentRun = Type.Object(
  {
    id: Id,
    thread_id: Id,
    email_id: Id,
    status: oneOf(['done', 'failed', 'skipped']),
    acts: Type.Array(AgentAct),
    error: nullable(Type.String()),
    input_tokens: Type.Integer(),
    output_tokens: Type.Integer(),
    created_at: IsoTimestamp,
  },
  { title: 'InboxAgentRun' },
)

export const AgentRunFilter = Type.Object({ thread_id: Type.Optional(Id) })
