import type { startDashboard } from './dashboard.ts'

/** A key with a policy that has sent something, was refused something, and has mail that waits for approval. */
export async function makeGuardedMail({ service }: Pick<ReturnType<typeof startDashboard>, 'service'>) {
  const policy = {
    recipients: { domains: ['example.com'], wrote_first: true },
    senders: ['bot@example.com'],
    max_emails_per_hour: 10,
    max_emails_per_day: 50,
    no_bcc: true,
  }
  const { id, token } = (await service.call('POST', '/api-keys', { name: 'Support agent', policy })).body
  const send = (to: string, subject: string) =>
    service.call('POST', '/emails', { from: 'bot@example.com', to, subject, html: '<p>Hello</p>' }, token)
  await send('ada@example.com', 'Your question')
  await send('eve@example.net', 'Everything is allowed now')
  await service.call('PATCH', `/api-keys/${id}`, { policy: { ...policy, hold: true } })
  const approvals: string[] = []
  for (const to of ['bob@example.com', 'cleo@example.com']) approvals.push((await send(to, 'Invoice')).body.id)
  return { key: id as string, approval: approvals[0]! }
}
