/** What the page of events says. */
export const texts = {
  title: 'Events',
  one: 'event',
  about: 'Events your application sends about users: user.created, order.paid. They start and continue automations.',
  columns: { name: 'Name', payload: 'Payload', updated: 'Updated' },
  payload: {
    /** Of an event without a schema. */
    any: 'Any',
    /** Of an event whose schema has no fields. */
    none: 'None',
  },
  send: 'Send',
  edit: 'Edit',
  deleteNote: 'Events with this name can still be sent; their payload is no longer validated.',
  saved: 'Saved',
  createDialog: {
    open: 'Add event',
    title: 'Add event',
    name: { label: 'Name', placeholder: 'user.created' },
    submit: 'Add event',
    done: 'Event created',
  },
  editDialog: { title: (event: string) => `Payload of ${event}`, submit: 'Save' },
  schema: {
    legend: 'Payload',
    nameOfField: (position: number) => `Name of field ${position}`,
    namePlaceholder: 'plan',
    typeOfField: (position: number) => `Type of field ${position}`,
    add: 'Add field',
    remove: (position: number) => `Remove field ${position}`,
    empty: 'Without fields, any payload is accepted.',
  },
  sendDialog: {
    open: 'Send event',
    title: 'Send event',
    note: 'Starts and continues automations, as if your application had sent it.',
    event: { label: 'Event', placeholder: 'user.created' },
    contact: { label: 'Contact', hint: "Created if it doesn't exist.", placeholder: 'ada@example.com' },
    payload: { label: 'Payload', hint: 'JSON.', invalid: 'The payload is not valid JSON.' },
    submit: 'Send event',
    done: 'Event sent',
  },
}
