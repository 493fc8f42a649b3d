import { plural } from '../../ui/plural.ts'

/** What the pages of contacts and imports say. */
export const texts = {
  title: 'Contacts',
  one: 'contact',
  many: 'contacts',
  about: 'The people you send email to. Add one, or import a CSV file.',
  import: 'Import',
  columns: { email: 'Email', name: 'Name', status: 'Status', created: 'Created' },
  filters: {
    search: 'Search contacts',
    segment: 'Segment',
    allContacts: 'All contacts',
    email: { label: 'Email', placeholder: 'Part of the address' },
  },
  fields: {
    email: 'Email',
    firstName: 'First name',
    lastName: 'Last name',
    unsubscribed: { label: 'Unsubscribed', hint: 'Receives no broadcasts, regardless of topics.' },
  },
  deleteNote: 'The contact and its data are deleted. Sent emails are kept.',
  bulk: {
    addToSegment: {
      label: 'Add to segment',
      done: plural({ one: '# contact added to segment', other: '# contacts added to segment' }),
    },
    unsubscribe: {
      label: 'Unsubscribe',
      title: plural({ one: 'Unsubscribe # contact?', other: 'Unsubscribe # contacts?' }),
      note: 'They receive no broadcasts until they are subscribed again.',
      done: plural({ one: '# contact unsubscribed', other: '# contacts unsubscribed' }),
    },
    delete: {
      label: 'Delete',
      title: plural({ one: 'Delete # contact?', other: 'Delete # contacts?' }),
      note: 'The contacts and their data are deleted. Sent emails are kept.',
      done: plural({ one: '# contact deleted', other: '# contacts deleted' }),
    },
  },
  page: {
    contact: 'Contact',
    created: 'Created',
    id: 'ID',
    save: 'Save',
    saved: 'Saved',
    delete: 'Delete',
  },
  deleteDialog: {
    title: (email: string) => `Delete “${email}”?`,
    confirm: 'Delete contact',
    done: 'Contact deleted',
  },
  properties: { title: 'Properties', save: 'Save properties' },
  segments: {
    title: 'Segments',
    none: 'None',
    add: 'Add to segment',
    choose: 'Add to segment…',
    removeFrom: (segment: string) => `Remove from ${segment}`,
  },
  topics: { title: 'Topics', empty: 'No topics yet.' },
  activity: {
    title: 'Activity',
    label: 'activity',
    columns: { activity: 'Activity', status: 'Status', time: 'Time' },
    empty: { title: 'No activity yet', note: 'Emails to and from this contact appear here, and its automation runs.' },
    noSubject: '(no subject)',
    broadcast: 'Broadcast',
    received: 'Received',
    automationRun: 'Automation run',
    suppressed: 'Suppressed',
  },
  imports: {
    title: 'Imports',
    label: 'imports',
    open: 'Import file',
    columns: {
      started: 'Started',
      status: 'Status',
      progress: 'Progress',
      created: 'Created',
      updated: 'Updated',
      skipped: 'Skipped',
      failed: 'Failed',
    },
    progress: 'Rows processed',
    rows: plural({ one: '# row', other: '# rows' }),
    empty: {
      title: 'No imports yet',
      note: 'Upload a CSV file with the column names in its first row. It can have millions of rows.',
    },
  },
  importDialog: {
    title: 'Import contacts',
    file: 'CSV file',
    segment: 'Add to segment',
    existing: { label: 'Existing contacts', update: 'Update from the file', keep: 'Keep unchanged' },
    submit: 'Import',
    done: 'Import started',
    mapping: {
      legend: 'Map columns',
      noSamples: 'No values in the first rows',
      ignore: 'Ignore',
      contact: 'Contact',
      fields: {
        email: 'Email',
        first_name: 'First name',
        last_name: 'Last name',
        unsubscribed: 'Unsubscribed',
        created_at: 'Created',
        segments: 'Segments',
        topics: 'Topics',
      },
      properties: 'Properties',
      createProperty: 'Create property',
      /** A property with the type of its values. */
      typed: {
        string: (property: string) => `${property} (text)`,
        number: (property: string) => `${property} (number)`,
      },
    },
    errors: {
      noEmail: 'Choose the column with the email address.',
      duplicate: (target: string) => `Two columns are mapped to ${target}.`,
      alwaysImported: (column: string) =>
        `A column named ${column} is always imported. Rename it in the file to leave it out.`,
    },
  },
  importResults: {
    title: 'Import',
    facts: { status: 'Status', started: 'Started', rows: 'Rows', result: 'Result' },
    counts: (counts: { created: string; updated: string; skipped: string; failed: string }) =>
      `${counts.created} created · ${counts.updated} updated · ${counts.skipped} skipped · ${counts.failed} failed`,
    failedRows: {
      title: 'Failed rows',
      label: 'failed rows',
      columns: { row: 'Row', column: 'Column', value: 'Value', reason: 'Reason' },
      shown: (shown: string, all: string) => `${shown} of ${all} failed rows are shown.`,
      download: 'Download failed rows',
      /** Columns that the downloaded file has beside its own. */
      csv: { row: 'Row', error: 'Error' },
    },
  },
}
