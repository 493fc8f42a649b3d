import Type from 'typebox'

/** What `advance` means in seconds, for those who say where it leads to before they ask. */
export { parseDuration } from '../../../platform/duration.ts'

const Moment = Type.String({ format: 'date-time', examples: ['2027-01-01T09:00:00.000Z'] })

export const ClockState = Type.Object(
  { object: Type.Literal('clock'), now: Moment, is_frozen: Type.Boolean() },
  { title: 'Clock' },
)

export const ChangeClock = Type.Object(
  {
    advance: Type.Optional(
      Type.String({ maxLength: 100, description: 'Duration like `3 days`.', examples: ['3 days'] }),
    ),
    to: Type.Optional(
      Type.String({ maxLength: 100, description: 'Target time, ISO 8601. It must not be in the past.' }),
    ),
    is_frozen: Type.Optional(Type.Boolean({ description: 'Whether time stands still between advances.' })),
  },
  { title: 'ChangeClock' },
)

/** Something that happened on the way, with what it was about. */
export const Happened = Type.Object(
  {
    at: Moment,
    type: Type.String({ examples: ['email.delivered', 'webhook.failed'] }),
    id: Type.Optional(Type.String({ description: 'What it is about: an email, a contact, a webhook …' })),
    to: Type.Optional(Type.Array(Type.String())),
    subject: Type.Optional(Type.String()),
    detail: Type.Optional(Type.String()),
  },
  { title: 'Happened' },
)

export const ChangedClock = Type.Object(
  {
    ...ClockState.properties,
    is_complete: Type.Boolean({
      description: 'False: there was more to do than fits into one call. Call again to continue.',
    }),
    steps: Type.Integer({ description: 'Number of moments at which something was due.' }),
    happened: Type.Array(Happened),
    has_more: Type.Boolean({ description: 'Whether more happened than `happened` lists.' }),
  },
  { title: 'ChangedClock' },
)
