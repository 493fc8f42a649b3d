import { raw } from '../../../../kernel/db/sql.ts'

/**
 * Why mail is set aside that waits for approval: one `hold_id` for all of it. It is no row of `delivery_holds`, so no operator's command
 * releases it, and whoever looks for mail that may be taken up again passes over all of it with one probe of the index.
 */
export const APPROVAL_HOLD_ID = '00000000-0000-4000-8000-617070726f76'

export const APPROVAL_HOLD = raw(`'${APPROVAL_HOLD_ID}'::uuid`)

/** Rows of `deliveries d` that wait for approval, as the partial indexes know them. */
export const WAITS_FOR_APPROVAL = raw(
  `d.state = 'waiting' and d.suspended_at is not null and d.hold_id is not null and d.hold_id = '${APPROVAL_HOLD_ID}'`,
)
