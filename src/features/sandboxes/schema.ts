import Type, { type Static } from 'typebox'
import { deletedOf, Id, IsoTimestamp, nullable, objectOf, refusedWith, SECRET } from '../../kernel/http/shapes.ts'

export const LONGEST_SECONDS = 7 * 24 * 60 * 60

const Duration = {
  ...Type.Union([Type.Integer({ minimum: 1, maximum: LONGEST_SECONDS }), Type.String({ maxLength: 100 })]),
  ...refusedWith(
    'Invalid `expires_in` field. It must be a whole number of seconds, or words like `2 hours`: between 1 second and 7 days.',
  ),
  examples: ['2 hours'],
}

export const CreateSandbox = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    expires_in: Type.Optional(
      Type.Unsafe<string | number>({
        ...Duration,
        description: 'Seconds, or words like `2 hours`. One hour unless said; at most 7 days.',
      }),
    ),
    seed: Type.Optional(
      Type.Unsafe<string | number>({
        ...Type.Union([Type.Integer(), Type.String({ minLength: 1, maxLength: 100 })]),
        description: 'What chance in scenarios is made from: the same seed and the same calls give the same story.',
      }),
    ),
  },
  { title: 'CreateSandbox' },
)

export const SandboxItem = Type.Object(
  {
    id: Id,
    name: nullable(Type.String()),
    seed: Type.String(),
    domain: Type.String({ examples: ['01932b5c-7d3e-8c46-9a51-6f6f0c1d2e3f.sandbox.test'] }),
    now: Type.String({ format: 'date-time', description: 'What time it is in the sandbox.' }),
    created_at: IsoTimestamp,
    expires_at: IsoTimestamp,
  },
  { title: 'Sandbox' },
)

export type SandboxRow = Static<typeof SandboxItem>

const Smtp = { host: Type.String(), port: Type.Integer(), user: Type.String() }

export const Sandbox = objectOf('sandbox', SandboxItem)

/** What creating one answers: its secrets are shown once. */
export const NewSandbox = Type.Object(
  {
    ...Sandbox.properties,
    api_key: Type.String(SECRET),
    smtp: Type.Object({ ...Smtp, password: Type.String(SECRET) }),
  },
  { title: 'NewSandbox' },
)

export const DeletedSandbox = deletedOf('sandbox')
