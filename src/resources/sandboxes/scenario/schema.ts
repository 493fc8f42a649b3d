import Type, { type Static } from 'typebox'
import { oneOf } from '../../../http/shapes.ts'

const Probability = Type.Number({ minimum: 0, maximum: 1 })
const Duration = Type.String({ maxLength: 100, examples: ['10 minutes'] })
const Reply = Type.String({
  maxLength: 512,
  pattern: '^[245]\\d\\d[ -][^\\r\\n]*$',
  examples: ['550 5.1.1 no such user'],
})
const Text = Type.String({ minLength: 1, maxLength: 320 })

export const VISITORS = ['person', 'privacy_proxy', 'scanner'] as const

const Match = Type.Object(
  {
    to: Type.Optional(Type.String({ ...Text, description: 'The address of the recipient. `*` stands for any text.' })),
    domain: Type.Optional(Type.String({ ...Text, description: 'The domain of the recipient.' })),
    from: Type.Optional(Type.String({ ...Text, description: 'The address of the sender. `*` stands for any text.' })),
    subject: Type.Optional(Type.String({ ...Text, description: 'A part of the subject. `*` stands for any text.' })),
    tag: Type.Optional(Type.String({ ...Text, description: '`name` or `name:value`' })),
    attempt: Type.Optional(
      Type.Object({
        at_least: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
        at_most: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
      }),
    ),
    nth: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: 'Only the nth delivery that the rest of the rule fits.',
      }),
    ),
    probability: Type.Optional(Type.Number({ ...Probability, description: 'Chance, by the seed of the sandbox.' })),
  },
  { additionalProperties: false },
)

const After = {
  after: Type.Optional(Type.String({ ...Duration, description: 'How long after the delivery. At once unless said.' })),
}
const By = { by: Type.Optional(oneOf(VISITORS)) }

/** What the other side does. The first four decide about the delivery, one of them at most; the others follow a delivery. */
const Outcome = Type.Object(
  {
    reply: Type.Optional(Reply),
    delayed: Type.Optional(
      Type.String({ ...Duration, description: 'The mail is taken after this time, and not before.' }),
    ),
    connection_lost: Type.Optional(oneOf(['before_data', 'after_data'])),
    greylisted: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'So many attempts are put off.' })),
    bounced: Type.Optional(Type.Object({ ...After, reply: Type.Optional(Reply) })),
    complained: Type.Optional(Type.Object({ ...After })),
    opened: Type.Optional(Type.Object({ ...After, ...By })),
    clicked: Type.Optional(
      Type.Object({
        ...After,
        ...By,
        link: Type.Optional(
          Type.String({ maxLength: 2_000, description: 'A part of its address. The first link unless said.' }),
        ),
      }),
    ),
    unsubscribed: Type.Optional(Type.Object({ ...After })),
    replied: Type.Optional(
      Type.Object({
        ...After,
        text: Type.String({ minLength: 1, maxLength: 100_000 }),
        subject: Type.Optional(Type.String({ maxLength: 998 })),
      }),
    ),
  },
  { additionalProperties: false, minProperties: 1 },
)

const WebhookRule = Type.Object(
  {
    match: Type.Optional(
      Type.Object(
        {
          endpoint: Type.Optional(Type.String({ maxLength: 2_000, description: 'A part of the URL of the webhook.' })),
          event: Type.Optional(Type.String({ maxLength: 100, description: 'A type like `email.sent`.' })),
          attempt: Type.Optional(Match.properties.attempt),
          probability: Type.Optional(Probability),
        },
        { additionalProperties: false },
      ),
    ),
    outcome: Type.Object(
      {
        status: Type.Optional(Type.Integer({ minimum: 200, maximum: 599 })),
        times_out: Type.Optional(Type.Literal(true)),
        connection_lost: Type.Optional(Type.Literal(true)),
        times: Type.Optional(
          Type.Integer({ minimum: 1, maximum: 1_000, description: 'Only for the first attempts of each event.' }),
        ),
      },
      { additionalProperties: false, minProperties: 1 },
    ),
  },
  { additionalProperties: false },
)

const Refusal = Type.Object(
  { reply: Type.Optional(Reply), probability: Type.Optional(Probability) },
  { additionalProperties: false },
)

export const Scenario = Type.Object(
  {
    rules: Type.Optional(
      Type.Array(Type.Object({ match: Type.Optional(Match), outcome: Outcome }, { additionalProperties: false }), {
        maxItems: 100,
      }),
    ),
    webhooks: Type.Optional(Type.Array(WebhookRule, { maxItems: 100 })),
    smtp: Type.Optional(
      Type.Object(
        { mail: Type.Optional(Refusal), rcpt: Type.Optional(Refusal), auth: Type.Optional(Refusal) },
        { additionalProperties: false },
      ),
    ),
  },
  { title: 'Scenario', additionalProperties: false },
)
export type Scenario = Static<typeof Scenario>
export type Rule = NonNullable<Scenario['rules']>[number]

export const ShownScenario = Type.Object(
  { object: Type.Literal('scenario'), ...Scenario.properties },
  { title: 'ShownScenario' },
)
