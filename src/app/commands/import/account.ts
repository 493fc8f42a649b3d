// What the API of an account answers, as far as an import uses it. Anything may be missing: it is another program's answer.

export interface Named {
  readonly id: string
  readonly name?: string
  readonly created_at?: string
}

export interface SourceContact extends Named {
  readonly email?: string
  readonly first_name?: string | null
  readonly last_name?: string | null
  readonly unsubscribed?: boolean
  /** `{plan: {type, value}}`, or `{plan: value}`. */
  readonly properties?: Readonly<Record<string, unknown>>
  readonly segments?: readonly { readonly id: string }[]
  readonly topics?: readonly SourceChoice[]
}

export interface SourceChoice {
  readonly id: string
  readonly subscription?: string
}

export interface SourceDomain extends Named {
  readonly region?: string
  readonly capabilities?: { readonly sending?: string; readonly receiving?: string }
  readonly open_tracking?: boolean
  readonly click_tracking?: boolean
  readonly tracking_subdomain?: string | null
  readonly records?: readonly {
    readonly record: string
    readonly suggestion?: string
    readonly type: string
    readonly name: string
    readonly value: string
    readonly priority?: number
  }[]
}

export interface SourceTemplate extends Named {
  readonly alias?: string | null
  readonly status?: string
  readonly published_at?: string | null
  readonly updated_at?: string
  readonly current_version_id?: string
  readonly has_unpublished_versions?: boolean
  readonly from?: string | null
  readonly subject?: string | null
  readonly reply_to?: string | string[] | null
  readonly html?: string | null
  readonly text?: string | null
  readonly variables?: readonly SourceVariable[] | null
}

export interface SourceVariable {
  readonly id?: string
  readonly key: string
  readonly type: string
  readonly fallback_value?: unknown
}

export interface SourceVersion extends Omit<SourceTemplate, 'name'> {
  readonly is_published?: boolean
}

/** A moment in either of the forms that the API has; now, if it is none or has not come yet. */
export function momentOf(text: string | null | undefined, now: Date): Date {
  const moment = new Date(typeof text === 'string' ? text : Number.NaN)
  return moment <= now ? moment : now
}

/** As PostgreSQL, and a list of ours, takes it. */
export const short = (text: string | null | undefined, maxLength: number): string | null =>
  typeof text === 'string' && text !== '' ? [...text].slice(0, maxLength).join('') : null
