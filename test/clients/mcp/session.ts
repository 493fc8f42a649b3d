import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { CACHE } from '../packages.ts'
import type { Json } from '../world.ts'

export interface Tool {
  readonly name: string
}

/** The MCP server as a program of its own, spoken to over its standard input and output. */
export async function startMcp(environment: Record<string, string>) {
  const words = [join('node_modules', 'resend-mcp', 'dist', 'index.js')]
  const env = { PATH: process.env.PATH!, ...environment }
  const child = spawn(process.execPath, words, { cwd: CACHE, env, stdio: ['pipe', 'pipe', 'ignore'] })
  const ended = once(child, 'close')
  const waiting = new Map<number, (answer: Json) => void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const answer = JSON.parse(line)
    waiting.get(answer.id)?.(answer)
    waiting.delete(answer.id)
  })
  child.on('close', () => {
    for (const settle of waiting.values()) settle({ error: { message: 'The server ended.' } })
  })
  const write = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  let last = 0
  const ask = (method: string, params: object = {}): Promise<Json> =>
    new Promise((resolve) => {
      const id = ++last
      waiting.set(id, resolve)
      write({ id, method, params })
    })
  const clientInfo = { name: 'trial', version: '1' }
  await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
  write({ method: 'notifications/initialized' })
  return {
    tools: async (): Promise<readonly Tool[]> => (await ask('tools/list')).result.tools,
    call: (name: string, words: object) => ask('tools/call', { name, arguments: words }),
    stop: () => {
      child.kill()
      return ended
    },
  }
}
