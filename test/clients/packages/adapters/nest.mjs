import 'reflect-metadata'
import { ResendService } from 'nestjs-resend'

export default ({ token, subject }) => {
  const service = new ResendService({ apiKey: token })
  const mail = () => ({ from: 'api@acme.example', to: 'you@example.com', subject: subject(), text: 'Hi' })
  return {
    send: async () => {
      const one = mail()
      const { data, error } = await service.send(one)
      if (error) throw new Error(error.message)
      return { id: data.id, subject: one.subject }
    },
    'send a batch': async () => {
      const two = [mail(), mail()]
      const { data, error } = await service.sendBatch(two)
      if (error) throw new Error(error.message)
      return { id: data.data[1].id, subject: two[1].subject }
    },
  }
}
