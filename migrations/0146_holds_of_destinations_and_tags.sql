-- Mail that operators hold back by where it goes, or by a tag that it has.
alter table delivery_holds add column destination text;
alter table delivery_holds add column tag text;

comment on column delivery_holds.recipient_domain is
  'In lower case and ASCII, like sender_domain. Of a row with a destination or a tag `also ` stands before it: a program that knows neither column holds nothing for the row, and not everything.';
comment on column delivery_holds.destination is 'A provider, or the names of a site''s mail servers, as deliveries.destination has it.';
comment on column delivery_holds.tag is '`name`, or `name:value`.';

drop index delivery_holds_scope;
create unique index delivery_holds_scope on delivery_holds
  (coalesce(team_id, '00000000-0000-0000-0000-000000000000'), coalesce(recipient_domain, ''), coalesce(sender_domain, ''),
   coalesce(destination, ''), coalesce(tag, ''));
