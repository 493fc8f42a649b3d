import Type, { type Static } from 'typebox'
import {
  deletedOf,
  Email,
  Id,
  nullable,
  objectOf,
  oneOf,
  referenceTo,
  Timestamp,
  withDefault,
} from '../../kernel/http/shapes.ts'

/** Every kind of step, in the order in which they are offered. */
export const STEP_TYPES = [
  'trigger',
  'send_email',
  'delay',
  'wait_for_event',
  'condition',
  'contact_update',
  'contact_delete',
  'add_to_segment',
] as const

export const CONNECTION_TYPES = ['default', 'condition_met', 'condition_not_met', 'timeout', 'event_received'] as const
export const STATUSES = ['enabled', 'disabled'] as const
export const RUN_STATUSES = ['running', 'completed', 'failed', 'cancelled'] as const
export const STEP_STATUSES = ['pending', 'running', 'completed', 'failed', 'skipped', 'waiting'] as const
export const ONCE_PER_CONTACT = ['never', 'while_running', 'ever'] as const

/** What happens to emails, and can start an automation or be waited for. */
export const SYSTEM_EVENTS = [
  'resend:email.opened',
  'resend:email.clicked',
  'resend:email.bounced',
  'resend:email.delivered',
  'resend:email.complained',
  'resend:email.failed',
  'resend:email.suppressed',
] as const

export const MAX_STEPS = 150
export const MAX_NAME_LENGTH = 500

const Step = Type.Object(
  {
    key: Type.String({ minLength: 1, maxLength: 100, description: 'Unique among the steps of the automation.' }),
    type: oneOf(STEP_TYPES),
    config: Type.Record(Type.String(), Type.Unknown(), { description: 'Depends on the type.' }),
  },
  {
    title: 'AutomationStep',
    // The SDK sends null for a step of a type that it does not know.
    'x-expected': `an object with \`key\`, \`type\` and \`config\`. Types are ${STEP_TYPES.map((type) => `\`${type}\``).join(', ')}`,
  },
)
export type StepShape = Static<typeof Step>

const ConnectionFields = { from: Type.String({ maxLength: 100 }), to: Type.String({ maxLength: 100 }) }

const NewConnection = Type.Object(
  { ...ConnectionFields, type: withDefault(oneOf(CONNECTION_TYPES), 'default') },
  { title: 'NewAutomationConnection' },
)

const Connection = Type.Object(
  { ...ConnectionFields, type: oneOf(CONNECTION_TYPES) },
  { title: 'AutomationConnection' },
)
export type ConnectionShape = Static<typeof Connection>

const name = Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH })
const steps = Type.Array(Step, { minItems: 1, maxItems: MAX_STEPS })
const connections = Type.Array(NewConnection, { maxItems: MAX_STEPS * 2 })

export const AutomationItem = Type.Object(
  { id: Id, name, status: oneOf(STATUSES), created_at: Timestamp, updated_at: Timestamp },
  { title: 'AutomationItem' },
)

export const Automation = Type.Object(
  {
    ...objectOf('automation', AutomationItem).properties,
    steps: Type.Array(Step),
    connections: Type.Array(Connection),
  },
  { title: 'Automation' },
)

export const CreateAutomation = Type.Object(
  { name, status: withDefault(oneOf(STATUSES), 'disabled'), steps, connections },
  { title: 'CreateAutomation' },
)

export const UpdateAutomation = Type.Object(
  {
    name: Type.Optional(name),
    status: Type.Optional(oneOf(STATUSES)),
    steps: Type.Optional(steps),
    connections: Type.Optional(connections),
  },
  { title: 'UpdateAutomation' },
)

/** Not part of the contract: also for an enabled automation, which stays enabled. */
export const ReplaceSteps = Type.Object(
  { name: Type.Optional(name), steps, connections },
  { title: 'ReplaceAutomationSteps' },
)

export const AutomationQuery = Type.Object({ status: Type.Optional(oneOf(STATUSES)) })

export const AutomationReference = referenceTo('automation')
export const DeletedAutomation = deletedOf('automation')
export const StoppedAutomation = Type.Object({ ...AutomationReference.properties, status: oneOf(STATUSES) })

export const AutomationRunItem = Type.Object(
  {
    id: Id,
    status: oneOf(RUN_STATUSES),
    started_at: nullable(Timestamp),
    completed_at: nullable(Timestamp),
    created_at: Timestamp,
  },
  { title: 'AutomationRunItem' },
)

const JsonObject = Type.Record(Type.String(), Type.Unknown())

export const RunStep = Type.Object(
  {
    key: Type.String(),
    type: oneOf(STEP_TYPES),
    status: oneOf(STEP_STATUSES),
    output: nullable(JsonObject),
    error: nullable(JsonObject),
    started_at: nullable(Timestamp),
    completed_at: nullable(Timestamp),
    created_at: Timestamp,
  },
  { title: 'AutomationRunStep' },
)

export const AutomationRun = Type.Object(
  { ...objectOf('automation_run', AutomationRunItem).properties, steps: Type.Array(RunStep) },
  { title: 'AutomationRun' },
)

const statuses = Type.Optional(
  Type.String({
    maxLength: 100,
    description: 'Some of `running`, `completed`, `failed` and `cancelled`, with commas between them.',
    examples: ['failed,cancelled'],
  }),
)
export const RunQuery = Type.Object({ status: statuses })

export const RunParams = Type.Object({ id: Id, runId: Id })
export const RunReference = referenceTo('automation_run')
export const CancelledRun = Type.Object({ ...RunReference.properties, status: oneOf(RUN_STATUSES) })

// What follows is not part of the contract that other clients know.

export const AutomationSettings = Type.Object(
  {
    object: Type.Literal('automation_settings'),
    automation_id: Id,
    once_per_contact: oneOf(ONCE_PER_CONTACT),
  },
  { title: 'AutomationSettings' },
)

export const UpdateAutomationSettings = Type.Object(
  { once_per_contact: Type.Optional(oneOf(ONCE_PER_CONTACT)) },
  { title: 'UpdateAutomationSettings' },
)

const Count = Type.Integer({ minimum: 0 })

export const AutomationNumbers = Type.Object(
  {
    object: Type.Literal('automation_numbers'),
    automation_id: Id,
    steps: Type.Array(
      Type.Object({
        key: Type.String(),
        entered: Count,
        waiting: Count,
        completed: Count,
        failed: Count,
        skipped: Count,
        cancelled: Count,
        sent: Count,
        opened: Count,
        clicked: Count,
      }),
    ),
    connections: Type.Array(Type.Object({ ...Connection.properties, taken: Count })),
  },
  { title: 'AutomationNumbers' },
)

/** A run as a person looks at it: whose it is, and where it stands. */
export const RunOverview = Type.Object(
  {
    ...AutomationRunItem.properties,
    automation_id: Id,
    contact_id: Id,
    email: nullable(Type.String({ description: 'Null when the contact was deleted.' })),
    step_key: nullable(Type.String()),
    due_at: nullable(Timestamp),
    waits_for: nullable(Type.String()),
    reason: nullable(Type.String({ description: 'Why it failed.' })),
    is_test: Type.Boolean(),
  },
  { title: 'AutomationRunOverview' },
)

export const RunOverviewQuery = Type.Object({
  automation_id: Type.Optional(Id),
  status: statuses,
  email: Type.Optional(Email),
})

/** With the graph that the run began with, which the automation may not have any more. */
export const RunDetails = Type.Object(
  {
    ...objectOf('automation_run_details', RunOverview).properties,
    event: JsonObject,
    steps: Type.Array(RunStep),
    graph: Type.Object({ steps: Type.Array(Step), connections: Type.Array(Connection) }),
  },
  { title: 'AutomationRunDetails' },
)

export const TestAutomation = Type.Object(
  {
    to: Email,
    payload: Type.Optional(JsonObject),
    contact_id: Type.Optional(Id),
    waits: withDefault(oneOf(['event_received', 'timeout']), 'event_received'),
  },
  { title: 'TestAutomation' },
)
