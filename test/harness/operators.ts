import { makeOperator } from '../../src/features/people/users.ts'
import type { App, Client, Person } from './app.ts'

/** Somebody who operates the installation, and belongs to a team of their own. */
export async function operatorOf(app: App): Promise<Person> {
  const person = await app.person('operators', 'viewer')
  await makeOperator(app.db, person.userId)
  return person
}

export async function limit(app: App, { team }: Pick<Client, 'team'>, limits: object) {
  const reply = await (await operatorOf(app)).patch(`/operator/teams/${team}/limits`, limits)
  if (reply.status !== 200) throw new Error(reply.text)
}

export async function suspend(app: App, { team }: Pick<Client, 'team'>, reason = 'Too many complaints.') {
  const reply = await (await operatorOf(app)).post(`/operator/teams/${team}/suspend`, { reason })
  if (reply.status !== 200) throw new Error(reply.text)
}

export async function unsuspend(app: App, { team }: Pick<Client, 'team'>) {
  const reply = await (await operatorOf(app)).post(`/operator/teams/${team}/unsuspend`)
  if (reply.status !== 200) throw new Error(reply.text)
}
