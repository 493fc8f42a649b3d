import type { Resend } from 'resend'
import { expect } from 'vitest'

/** What every method of the SDK gives back. */
interface Result {
  readonly data: unknown
  readonly error: { statusCode: number | null; message: string; name: string } | null
  readonly headers: Record<string, string> | null
}

export interface SdkMethod {
  /** `contacts.imports.create` */
  readonly name: string
  call(...words: unknown[]): Promise<Result>
}

/** Private to the SDK, though JavaScript shows them. */
const INTERNAL = new Set([
  'constructor',
  'buildCreateFormData',
  'buildColumnMap',
  'appendField',
  'performCreate',
  'forwardPassthrough',
  'forwardWrapped',
  'downloadRaw',
])

type Part = Record<string, unknown>

/** Asks nobody: it checks a signature. */
const LOCAL = 'webhooks.verify'

/** The names of all resources of the SDK: its parts that call back to it. */
export const resourcesOf = (client: Resend): string[] =>
  Object.entries(client).flatMap(([name, part]) => (isPart(part) ? [name] : []))

/** Every method of these resources and of what hangs on them. */
export function methodsOf(client: Resend, resources: readonly string[]): SdkMethod[] {
  const all = resources.flatMap((name) => methodsOfPart(name, (client as unknown as Part)[name] as Part))
  return all.filter(({ name }) => name !== LOCAL)
}

function methodsOfPart(path: string, part: Part): SdkMethod[] {
  const own = Object.getOwnPropertyNames(Object.getPrototypeOf(part)).filter((name) => !INTERNAL.has(name))
  const nested = Object.entries(part).filter(([name, value]) => name !== 'resend' && isPart(value))
  return [
    ...own.map((name) => ({
      name: `${path}.${name}`,
      call: (...words: unknown[]) => (part[name] as SdkMethod['call'])(...words),
    })),
    ...nested.flatMap(([name, value]) => methodsOfPart(`${path}.${name}`, value as Part)),
  ]
}

const isPart = (value: unknown): value is Part => typeof value === 'object' && value !== null && 'resend' in value

/** The same client, which from now on notes the methods that succeeded. */
export function notingSuccesses(client: Resend, successes: Set<string>): Resend {
  // The two names are one object in the SDK; here each has its own, so that both are noted.
  Object.assign(client, {
    audiences: Object.assign(Object.create(Object.getPrototypeOf(client.segments)), client.segments),
  })
  for (const { name } of methodsOf(client, resourcesOf(client))) {
    const path = name.split('.')
    const part = path.slice(0, -1).reduce((at, step) => at[step] as Part, client as unknown as Part)
    const method = part[path.at(-1)!] as SdkMethod['call']
    part[path.at(-1)!] = async (...words: unknown[]) => {
      const result = await method.apply(part, words)
      if (result?.error === null) successes.add(name)
      return result
    }
  }
  return client
}

/** The data of a call that must succeed. */
export async function dataOf<Data>(
  answer: Promise<{ data: Data | null; error: unknown; headers: Record<string, string> | null }>,
): Promise<Data> {
  const { data, error, headers } = await answer
  expect(error).toBeNull()
  expect(headers?.['content-type']).toBe('application/json; charset=utf-8')
  return data!
}

/** The error of a call that must fail, as the program that uses the SDK sees it. */
export async function errorOf(answer: Promise<{ data: unknown; error: unknown }>) {
  const { data, error } = await answer
  expect(data).toBeNull()
  expect(Object.keys(error as object)).toEqual(['statusCode', 'message', 'name'])
  return error as { statusCode: number; message: string; name: string }
}
