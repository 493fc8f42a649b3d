import { versionOf } from '../packages.ts'
import { brief, Score } from '../score.ts'
import { NOBODY, type World } from '../world.ts'
import { startMcp } from './session.ts'

const BROKEN = /\bundefined\b|\[object Object\]|\bNaN\b|Invalid Date/

export const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/

export type McpTrial = Awaited<ReturnType<typeof startTrial>>

/** The MCP server, one tool after the other, as a model would call it. */
export async function startTrial(world: World) {
  const score = new Score('MCP server', versionOf('resend-mcp'))
  const server = await startMcp({
    RESEND_API_KEY: world.token,
    RESEND_BASE_URL: world.url,
    RESEND_DASHBOARD_URL: world.url,
  })
  const tools = await server.tools()
  const called = new Set<string>()

  const call = async (name: string, words: object = {}, says: RegExp = /./): Promise<string> => {
    called.add(name)
    const { result, error } = await server.call(name, words)
    const text = (result?.content ?? []).map((part: { text?: string }) => part.text ?? '').join('\n')
    const reasons = error || result.isError ? [`refused: ${error?.message ?? text}`] : []
    if (!says.test(text)) reasons.push(`does not say ${says}: ${brief(text)}`)
    const broken = text.split('\n').find((line: string) => BROKEN.test(line))
    if (broken) reasons.push(`says ${brief(broken)}`)
    score.count(`${name} ${brief(words)}`, reasons)
    return text
  }

  return {
    world,
    /** Calls a tool that must succeed; gives back its text, which must say this. */
    call,
    /** The same for one that makes something: gives back the id. */
    make: async (name: string, words: object) => ID.exec(await call(name, words, ID))?.[0] ?? NOBODY,
    /** Calls a tool that the service must refuse. */
    async refuse(name: string, words: object, says: RegExp) {
      const { result, error } = await server.call(name, words)
      const text = error?.message ?? result.content[0].text
      const isRefused = (error || result.isError) && says.test(text)
      score.count(`${name} ${brief(words)}`, isRefused ? [] : [`not refused: ${brief(text)}`])
    },
    /** Counts what is to be seen in the service after a call. */
    check: (what: string, isRight: boolean, seen: string) => score.count(what, isRight ? [] : [`is not so: ${seen}`]),
    /** Counts what was never called as wrong. */
    async finish() {
      for (const { name } of tools) {
        if (!called.has(name)) score.count(name, ['never called by this trial'])
      }
      await server.stop()
      return score
    },
  }
}
