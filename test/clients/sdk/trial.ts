import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { load, type Shapes, shapesOf, versionOf } from '../packages.ts'
import { brief, differences, Score } from '../score.ts'
import type { Json, World } from '../world.ts'

/** Asks nobody: it checks a signature, and throws. */
const LOCAL = 'webhooks.verify'

/** One version of the SDK against the service: every call is checked against what the types of this version promise. */
export class SdkTrial {
  readonly score: Score
  readonly major: number
  readonly world: World
  readonly #client: Json
  readonly #shapes: Record<string, ValidateFunction[]>
  readonly #methods: readonly string[]
  readonly #called = new Set<string>()

  private constructor(name: string, world: World, own: Shapes, newest: Shapes) {
    const version = versionOf(name)
    this.score = new Score('SDK for Node', version)
    this.major = Number(version.split('.')[0])
    this.world = world
    const { Resend } = load(name) as { Resend: new (token: string, options?: object) => Json }
    this.#client = new Resend(world.token, { baseUrl: world.url })
    const ajv = new Ajv({ strict: false, allErrors: true })
    this.#methods = methodsOf(this.#client).filter((method) => !own.hidden.includes(method) && method !== LOCAL)
    this.#shapes = Object.fromEntries(
      this.#methods.map((method) => [
        method,
        [newest, own].flatMap(({ methods }) => (methods[method] ? [ajv.compile(methods[method])] : [])),
      ]),
    )
  }

  /** The types of old versions were wrong about the service of their day, too: those of the newest one will do as well. */
  static async of(name: string, newest: string, world: World): Promise<SdkTrial> {
    return new SdkTrial(name, world, await shapesOf(name), await shapesOf(newest))
  }

  has(method: string): boolean {
    return this.#methods.includes(method)
  }

  /** Whether this version has segments, properties and topics, and takes contacts without an audience. */
  get isModern(): boolean {
    return this.has('segments.create')
  }

  /** Calls a method that must succeed, and gives back its data. A method that this version does not have is not called. */
  async call(method: string, words: readonly unknown[] = [], expected: unknown = {}): Promise<Json> {
    if (!this.has(method)) return undefined
    const { data, error } = await this.#invoke(method, words)
    const reasons = error
      ? [`refused: ${brief(error)}`]
      : [...this.#mistakesOf(method, data), ...(this.#isVoid(data) ? [] : differences(data, expected))]
    this.score.count(label(method, words), reasons)
    return data ?? undefined
  }

  /** Calls a method that must be refused, in the shape of every refusal. */
  async refuse(method: string, words: readonly unknown[], expected: { statusCode: number; name: string }) {
    if (!this.has(method)) return
    const { data, error } = await this.#invoke(method, words)
    const reasons = error
      ? differences(error, { ...expected, message: (text: unknown) => typeof text === 'string' && text !== '' })
      : this.#isVoid(data)
        ? []
        : [`not refused: ${brief(data)}`]
    if (error && data) reasons.push(`data beside an error: ${brief(data)}`)
    this.score.count(label(method, words), reasons)
  }

  /** Counts what was never called as wrong, so that a method of a new version cannot be missed. */
  finish() {
    for (const method of this.#methods)
      if (!this.#called.has(method)) this.score.count(method, ['never called by this trial'])
    return this.score
  }

  async #invoke(method: string, words: readonly unknown[]): Promise<{ data: Json; error: Json }> {
    this.#called.add(method)
    const path = method.split('.')
    const part = path.slice(0, -1).reduce((at, step) => at[step], this.#client)
    try {
      const answer = await part[path.at(-1)!](...words)
      if (this.major >= 2) return answer
      return answer?.statusCode ? { data: null, error: answer } : { data: answer, error: null }
    } catch (error) {
      return { data: null, error: error instanceof Error ? { message: error.stack } : error }
    }
  }

  /** Before 2.0 some methods kept the answer to themselves. */
  #isVoid(data: Json): boolean {
    return this.major < 2 && data === undefined
  }

  #mistakesOf(method: string, data: Json): string[] {
    const checks = this.#shapes[method]!
    if (this.#isVoid(data) || checks.some((check) => check(data))) return []
    return [checks[0] ? deepest(checks[0].errors!) : 'no type']
  }
}

/** Every function of every resource, as JavaScript shows them: a new one cannot be missed. */
function methodsOf(part: Json, path: readonly string[] = []): string[] {
  const own = path.length === 0 ? [] : Object.getOwnPropertyNames(Object.getPrototypeOf(part))
  const nested = Object.entries(part).filter(([name, value]) => name !== 'resend' && isPart(value))
  return [
    ...own.filter((name) => name !== 'constructor').map((name) => [...path, name].join('.')),
    ...nested.flatMap(([name, value]) => methodsOf(value, [...path, name])),
  ]
}

const isPart = (value: unknown) => typeof value === 'object' && value !== null && 'resend' in value

/** Of all that does not fit the one that is farthest inside: where a union fits nowhere, the rest is noise. */
function deepest(errors: ErrorObject[]): string {
  const told = errors.filter(({ keyword }) => !['anyOf', 'not'].includes(keyword))
  const depth = ({ instancePath }: ErrorObject) => instancePath.split('/').length
  const [first] = (told.length > 0 ? told : errors).sort((a, b) => depth(b) - depth(a))
  return `type: ${first!.instancePath || 'it'} ${first!.message} ${brief(first!.params)}`
}

const label = (method: string, words: readonly unknown[]) => `${method}(${words.map(brief).join(', ').slice(0, 120)})`
