import { onTestFinished } from 'vitest'
import type { App } from './app.ts'

interface Message {
  readonly id: string
  readonly events: { type: string; about: string | null }[]
}

/** An open dashboard: the messages that it is told. */
export async function listen(app: App, cookie: string, lastEventId?: string, query = '') {
  if (!app.server.server.listening) await app.server.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.server.address() as { port: number }
  const abort = new AbortController()
  onTestFinished(() => abort.abort())
  const reply = await fetch(`http://127.0.0.1:${port}/dashboard/live${query}`, {
    headers: { cookie, ...(lastEventId && { 'last-event-id': lastEventId }) },
    signal: abort.signal,
  })
  const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  /** The next message with something in it; null when the stream has ended. */
  const next = async (): Promise<Message | null> => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end >= 0) {
        const [block, rest] = [text.slice(0, end), text.slice(end + 2)]
        text = rest
        const [, data] = /^data: (.*)$/m.exec(block) ?? []
        if (data && !block.startsWith('event: end'))
          return { id: /^id: (.*)$/m.exec(block)![1]!, events: JSON.parse(data) }
        continue
      }
      const { done, value } = await reader.read()
      if (done) return null
      text += value
    }
  }
  return { status: reply.status, url: `http://127.0.0.1:${port}`, next, leave: () => abort.abort() }
}
