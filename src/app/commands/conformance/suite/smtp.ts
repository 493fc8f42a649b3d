import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'

/** Hands a message to a mail server, as another one would: no login, no encryption. */
export async function handOver(
  { host, port }: { readonly host: string; readonly port: number },
  { from, to, message }: { readonly from: string; readonly to: string; readonly message: string },
  timeoutMs: number,
): Promise<void> {
  const socket = connect({ host, port })
  socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`no answer within ${timeoutMs / 1_000} s`)))
  try {
    const replies = repliesOf(socket)
    const expect = async (code: string) => {
      const { value } = await replies.next()
      if (!value?.startsWith(code)) throw new Error(`the mail server says: ${String(value ?? 'nothing').slice(0, 200)}`)
    }
    const say = async (line: string, code: string) => {
      socket.write(`${line}\r\n`)
      await expect(code)
    }
    await expect('220')
    await say('EHLO conformance.invalid', '250')
    await say(`MAIL FROM:<${from}>`, '250')
    await say(`RCPT TO:<${to}>`, '250')
    await say('DATA', '354')
    await say(`${message.replace(/^\./gm, '..')}\r\n.`, '250')
    socket.write('QUIT\r\n')
  } finally {
    socket.destroy()
  }
}

/** The last line of each. */
async function* repliesOf(socket: Socket): AsyncGenerator<string, undefined> {
  const lines = createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY })
  for await (const line of lines) if (!/^\d{3}-/.test(line)) yield line
  return undefined
}
