import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { differences } from '../score.ts'
import type { World } from '../world.ts'
import type { Command } from './languages.ts'
import { runProgram } from './toolchain.ts'

// The first mail of each language, as docs/languages.md prints it. What is printed there is what runs here, but for the ports: 4025 and 2525 may be taken.

const PAGE = join('docs', 'languages.md')

/** How the program that the page prints is run. */
export interface FirstMail {
  /** Where it is put, below the folder of the language. */
  readonly file: string
  readonly build?: Command
  readonly command: Command
}

export interface Printed {
  readonly code: string
  /** What the page says that the program is to be started with. */
  readonly environment: Record<string, string>
}

/** The first program in this syntax below a heading. */
export function printedProgram(page: string, heading: string, syntax: string): Printed {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`))
  const code = section && new RegExp(`^\`\`\`${syntax}\\n(.*?)^\`\`\`$`, 'ms').exec(section)?.[1]
  if (!code) throw new Error(`${PAGE} prints no first mail for ${heading}.`)
  const [, name, value] = /Start the program with `(\w+)=([^`]+)`/.exec(section) ?? []
  return { code, environment: name === undefined ? {} : { [name]: value! } }
}

export const readProgram = (heading: string, syntax: string): Printed =>
  printedProgram(readFileSync(PAGE, 'utf8'), heading, syntax)

/** What is wrong about it. */
export async function tryFirstMail(
  { code, environment }: Printed,
  { world, folder, firstMail }: { readonly world: World; readonly folder: string; readonly firstMail: FirstMail },
): Promise<string[]> {
  const here = (text: string) =>
    text.replaceAll(':4025', `:${new URL(world.url).port}`).replaceAll('2525', String(world.smtpPort))
  const file = join(folder, firstMail.file)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, here(code))
  const [compiler, ...words] = firstMail.build ?? []
  // However long it takes, and meanwhile connections to the service are looked after.
  if (compiler) await promisify(execFile)(compiler, words, { cwd: folder })
  const newest = async () => (await world.ask('GET', '/emails?limit=1')).data[0]
  const before = await newest()
  const given = Object.entries(environment).map(([name, value]) => [name, here(value)])
  const finished = await runProgram(firstMail.command, folder, {
    ...Object.fromEntries(given),
    RESEND_API_KEY: world.token,
  })
  const after = await newest()
  if (finished.code !== 0) return [`exit code ${finished.code}: ${finished.stderr.slice(-300)}`]
  if (!after || after.id === before?.id) return ['no email came']
  const email = await world.ask('GET', `/emails/${after.id}`)
  return differences(email, { from: 'me@example.com', to: ['you@example.com'], subject: 'Hello', text: /^Hi\s*$/ })
}
