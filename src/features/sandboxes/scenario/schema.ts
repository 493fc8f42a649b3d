import Type, { type Static, type TObjectOptions, type TProperties } from 'typebox'
import { oneOf } from '../../../kernel/http/shapes.ts'

const Probability = Type.Number({ minimum: 0, maximum: 1, description: 'Probability, by the seed of the sandbox.' })
const Duration = Type.String({ maxLength: 100, examples: ['10 minutes'] })

const reply = (classes: string, words: string) =>
  Type.String({
    maxLength: 512,
    pattern: `^[${classes}][0-5]\\d(?:[ -][^\\x00-\\x1f\\x7f]*)?$`,
    description: `${words}, as servers write it.`,
    examples: ['550 5.1.1 no such user'],
    'x-expected': `${words} of SMTP like \`550 5.1.1 no such user\``,
  })
const Reply = reply('245', 'a reply')
const RefusingReply = reply('45', 'a refusal')

const Text = { minLength: 1, maxLength: 320 }
const AnyText = '`*` stands for any text; case does not count.'

/** An object with these fields and no others: who mistypes one hears which there are. */
const fields = <Properties extends TProperties>(properties: Properties, options: TObjectOptions = {}) =>
  Type.Object(properties, {
    additionalProperties: false,
    'x-expected': `an object of ${Object.keys(properties)
      .map((name) => `\`${name}\``)
      .join(', ')}`,
    ...options,
  })

export const VISITORS = ['person', 'privacy_proxy', 'scanner'] as const

const Attempt = fields(
  {
    at_least: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
    at_most: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
  },
  { description: 'Which attempts, counted from 1.' },
)

const Match = fields({
  to: Type.Optional(Type.String({ ...Text, description: `The address of the recipient. ${AnyText}` })),
  domain: Type.Optional(Type.String({ ...Text, description: `The domain of the recipient. ${AnyText}` })),
  from: Type.Optional(Type.String({ ...Text, description: `The address of the sender. ${AnyText}` })),
  subject: Type.Optional(Type.String({ ...Text, description: `A part of the subject. ${AnyText}` })),
  tag: Type.Optional(Type.String({ ...Text, description: '`name` or `name:value`' })),
  attempt: Type.Optional(Attempt),
  nth: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description:
        'Only the nth recipient that matches the rest of the rule, counted in the order of acceptance since the scenario was set.',
    }),
  ),
  probability: Type.Optional(Probability),
})

const After = {
  after: Type.Optional(Type.String({ ...Duration, description: 'Time after the delivery. Default: at once.' })),
}
const AfterALook = {
  after: Type.Optional(
    Type.String({
      ...Duration,
      description: 'Time after the delivery. Default: one second; for a scanner, at once.',
    }),
  ),
}
const By = { by: Type.Optional(oneOf(VISITORS)) }

/** What the other side does. The first four decide about the delivery, one of them at most; the others follow a delivery. */
const Outcome = fields(
  {
    reply: Type.Optional(Reply),
    delayed: Type.Optional(Type.String({ ...Duration, description: 'The mail is accepted only after this time.' })),
    connection_lost: Type.Optional(oneOf(['before_data', 'after_data'])),
    greylisted: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, description: 'Number of attempts that are deferred.' }),
    ),
    bounced: Type.Optional(fields({ ...After, reply: Type.Optional(RefusingReply) })),
    complained: Type.Optional(fields({ ...After })),
    opened: Type.Optional(fields({ ...AfterALook, ...By })),
    clicked: Type.Optional(
      fields({
        ...AfterALook,
        ...By,
        link: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 2_000,
            description: 'Part of its URL. Default: the first link; a scanner follows all.',
          }),
        ),
      }),
    ),
    unsubscribed: Type.Optional(fields({ ...After })),
    replied: Type.Optional(
      fields({
        ...After,
        text: Type.String({ minLength: 1, maxLength: 10_000 }),
        subject: Type.Optional(Type.String({ maxLength: 998, pattern: '^[^\\r\\n]*$' })),
      }),
    ),
  },
  { minProperties: 1 },
)

const WebhookRule = fields({
  match: Type.Optional(
    fields({
      endpoint: Type.Optional(
        Type.String({ minLength: 1, maxLength: 2_000, description: 'A part of the URL of the webhook.' }),
      ),
      event: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'A type like `email.sent`.' })),
      attempt: Type.Optional(Attempt),
      probability: Type.Optional(Probability),
    }),
  ),
  outcome: fields(
    {
      status: Type.Optional(Type.Integer({ minimum: 200, maximum: 599 })),
      times_out: Type.Optional(Type.Literal(true)),
      connection_lost: Type.Optional(Type.Literal(true)),
      times: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 1_000, description: 'Only for the first attempts of each event.' }),
      ),
    },
    { minProperties: 1 },
  ),
})

const Refusal = fields({ reply: Type.Optional(RefusingReply), probability: Type.Optional(Probability) })

export const Scenario = fields(
  {
    rules: Type.Optional(
      Type.Array(fields({ match: Type.Optional(Match), outcome: Outcome }), {
        maxItems: 100,
      }),
    ),
    webhooks: Type.Optional(Type.Array(WebhookRule, { maxItems: 100 })),
    smtp: Type.Optional(
      fields(
        { mail: Type.Optional(Refusal), rcpt: Type.Optional(Refusal), auth: Type.Optional(Refusal) },
        { description: 'Which commands the SMTP port refuses.' },
      ),
    ),
  },
  { title: 'Scenario' },
)
export type Scenario = Static<typeof Scenario>
export type Rule = NonNullable<Scenario['rules']>[number]

export const ShownScenario = Type.Object(
  { object: Type.Literal('scenario'), ...Scenario.properties },
  { title: 'ShownScenario' },
)
