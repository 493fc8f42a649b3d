import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { CACHE, runNode, versionOf } from './packages.ts'
import { differences, Score } from './score.ts'
import type { Json, World } from './world.ts'

/** Whose program is tried by the file of this name in `packages/adapters`. */
const PACKAGES: Record<string, string> = {
  adonis: '@adonisjs/mail',
  auth: '@auth/core',
  nest: 'nestjs-resend',
  nodemailer: 'nodemailer',
  payload: '@payloadcms/email-resend',
  react: '@react-email/render',
  strapi: 'strapi-provider-email-resend',
}

interface Case {
  readonly call: string
  /** Fields of the email with this subject, or with this id; null when there is none to look at. */
  readonly expected?: { subject: string; id?: string; contains?: Record<string, string> } | null
  readonly error?: string
}

/** What others have built on the API or on SMTP. */
export const tryAdapters = (world: World) =>
  tryFolder(world, { folder: CACHE, packages: PACKAGES, isRedirected: () => true })

interface AdapterFolder {
  readonly folder: string
  readonly packages: Readonly<Record<string, string>>
  /** Whether `redirect.mjs` is loaded before it. */
  isRedirected(name: string): boolean
}

/** The files in `adapters` of a folder with packages, each in a process of its own. */
export async function tryFolder(world: World, { folder, packages, isRedirected }: AdapterFolder): Promise<Score[]> {
  const scores: Score[] = []
  for (const file of readdirSync(join(folder, 'adapters'))) {
    const name = basename(file, '.mjs')
    const score = new Score(packages[name] ?? name, versionOf(packages[name] ?? name, folder))
    const environment = {
      RESEND_API_KEY: world.token,
      RESEND_BASE_URL: world.url,
      SMTP_PORT: String(world.smtpPort),
      RUN: String(process.pid),
    }
    const words = [...(isRedirected(name) ? ['--import', './redirect.mjs'] : []), 'adapter.mjs', name]
    const { stdout, stderr } = await runNode(words, environment, { folder })
    for (const line of stdout.split('\n').filter((one) => one.startsWith('{'))) {
      const { call, expected, error }: Case = JSON.parse(line)
      score.count(call, error === undefined ? await mistakes(world, expected ?? null) : [error])
    }
    if (score.calls === 0) score.count('start', [`said nothing: ${stderr}`])
    scores.push(score)
  }
  return scores
}

async function mistakes(world: World, expected: Case['expected']): Promise<string[]> {
  if (!expected) return []
  const { contains = {}, ...fields } = expected
  const { data } = await world.ask('GET', '/emails?limit=100')
  const found = data.find((email: Json) => (fields.id ? email.id === fields.id : email.subject === fields.subject))
  if (!found) return [`no email with the subject ${fields.subject}`]
  const email = await world.ask('GET', `/emails/${found.id}`)
  const parts = Object.entries(contains).flatMap(([name, text]) =>
    String(email[name]).includes(text) ? [] : [`${name} is ${email[name]}`],
  )
  return [...differences(email, fields), ...parts]
}
