-- A link that whoever invites can copy. Kept as a digest beside that of the mailed link, so that either can be used up.
alter table invitations add column link_sha256 bytea;
alter table invitations add constraint invitations_link_unique unique (link_sha256);

comment on column invitations.link_sha256 is
  'Digest of the token of the link that can be copied. It does not prove who has the address; null: nobody has copied one.';
