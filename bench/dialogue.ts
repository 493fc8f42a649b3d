import { once } from 'node:events'
import { connect } from 'node:net'

/** A bare SMTP conversation over one connection: the least that handing a message over can cost. */
export async function openDialogue(port: number) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const said = async () => ((await once(socket, 'data')) as [Buffer])[0].toString()
  await said()
  const say = async (text: string) => {
    socket.write(text)
    return said()
  }
  await say('EHLO bench\r\n')
  return {
    async send(bytes: number) {
      await say('MAIL FROM:<a@bench.dev>\r\n')
      await say('RCPT TO:<b@sink.dev>\r\n')
      await say('DATA\r\n')
      await say(
        `Subject: bench\r\n\r\n${'x'
          .repeat(76)
          .concat('\r\n')
          .repeat(bytes / 78)}.\r\n`,
      )
    },
    close: () => socket.destroy(),
  }
}
