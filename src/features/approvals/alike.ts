/** What is compared of mail that approvers are asked about. */
interface AskedMail {
  readonly from: string
  readonly to: readonly string[]
  readonly subject: string
  readonly holder: string
  readonly holderName: string | null
  readonly policyId: string
}

/** What all of some emails have in common; null: they differ. */
export interface Alike {
  readonly from: string | null
  readonly to: string | null
  readonly subject: string | null
  readonly holder: string | null
}

const HOLDERS: Readonly<Record<string, string>> = {
  api_key: 'API key',
  oauth_grant: 'app',
  inbox_agent: 'agent of the inbox',
}

/** `API key “Billing”`. Names are what people of the team, or programs, have chosen. */
export const holderWords = ({ holder, holderName }: Pick<AskedMail, 'holder' | 'holderName'>): string =>
  holderName === null ? `${HOLDERS[holder]} (deleted)` : `${HOLDERS[holder]} “${holderName}”`

/** What is alike is said once. */
export function alikeIn(mail: readonly AskedMail[]): Alike {
  const common = (fieldOf: (one: AskedMail) => string) => {
    const [first, ...others] = new Set(mail.map(fieldOf))
    return first !== undefined && others.length === 0 ? first : null
  }
  return {
    from: common(({ from }) => from),
    to: common(({ to }) => to.join(', ')),
    subject: common(({ subject }) => subject),
    holder: common(({ policyId }) => policyId) === null ? null : holderWords(mail[0]!),
  }
}
