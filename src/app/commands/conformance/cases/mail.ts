import type { CaseRun, Fixture } from '../suite/case-run.ts'

/** A mail that is nobody's: to an address that takes everything. */
export const mail = (trial: CaseRun) => ({
  from: trial.from,
  to: [trial.address()],
  subject: trial.fresh('Conformance'),
  html: '<p>Sent by a test.</p>',
  text: 'Sent by a test.',
})

export const sentEmail: Fixture<{ id: string; given: ReturnType<typeof mail> }> = {
  async make(trial) {
    const given = mail(trial)
    const { id } = await trial.made('POST /emails', { body: given })
    return { id, given }
  },
}
