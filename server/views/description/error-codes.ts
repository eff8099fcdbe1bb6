/**
 * The meaning of every `error.code` and how to act on it (`en`, for integrators), with the sentence in Swahili that a person reads
 * (`sw`, sent as `message_sw`). The reference shows the same list. A test compares it with the source.
 */

export const errorCodes = {
  validation_error: {
    en: 'A field is missing, malformed or unknown. `errors` lists each field with `required`, `invalid` or `unknown_field`; a weak password with `password_common`, `password_personal` or `password_guessable`.',
    sw: 'Baadhi ya taarifa si sahihi. Zirekebishe kisha ujaribu tena.',
  },
  invalid_json: {
    en: 'The body is not JSON, has the same key twice in one object, has more than 10,000 values or 32 levels, or contains text that cannot be stored.',
    sw: 'Taarifa zilizotumwa hazisomeki. Jaribu tena.',
  },
  payload_too_large: {
    en: 'The body is larger than 256 KiB, or than 64 KiB without a key or sign-in of a verified account.',
    sw: 'Taarifa zilizotumwa ni nyingi mno. Punguza kisha ujaribu tena.',
  },
  unsupported_media_type: {
    en: 'Send the body as `application/json`.',
    sw: 'Taarifa zimetumwa kwa muundo usio sahihi.',
  },
  method_not_allowed: {
    en: 'The path does not support this method. The header `Allow` lists the supported ones.',
    sw: 'Kitendo hiki hakiwezekani kwenye anwani hii.',
  },
  malformed_request: {
    en: 'The request is not valid HTTP.',
    sw: 'Ombi halisomeki. Jaribu tena.',
  },
  authentication_required: {
    en: 'Send an access token (`Authorization: Bearer`) or an API key (`X-API-Key`).',
    sw: 'Ingia kwenye akaunti yako kwanza.',
  },
  ambiguous_credentials: {
    en: 'The request has more than one credential. Send one access token or one API key.',
    sw: 'Ombi lina vitambulisho zaidi ya kimoja. Tumia kimoja tu.',
  },
  header_duplicated: {
    en: 'A header that must be single came twice; `details.header` names it. Send it once.',
    sw: 'Ombi lina kichwa kimoja mara mbili. Kitume mara moja tu.',
  },
  invalid_token: {
    en: 'The access token is invalid or expired. Refresh it.',
    sw: 'Muda wako wa kuingia umekwisha. Ingia tena.',
  },
  invalid_credentials: {
    en: 'The identifier or the password is wrong.',
    sw: 'Barua pepe, namba ya simu au nenosiri si sahihi.',
  },
  invalid_code: {
    en: 'The code of the second factor is wrong, expired or already used.',
    sw: 'Msimbo si sahihi, umepitwa na wakati, au umeshatumika. Weka msimbo mpya.',
  },
  invalid_challenge: {
    en: 'The pending two-factor sign-in has expired or is already completed. Sign in again.',
    sw: 'Kuingia kumechukua muda mrefu mno. Anza upya.',
  },
  step_up_required: {
    en: 'Confirm your identity with `POST /v1/auth/step-up`, then repeat the request.',
    sw: 'Thibitisha tena kuwa ni wewe ili kufanya hili.',
  },
  token_invalid: {
    en: 'The code from the mail is wrong, expired or already used. Request a new one.',
    sw: 'Msimbo si sahihi, umepitwa na wakati, au umeshatumika. Omba mpya.',
  },
  rate_limited: {
    en: 'Too many requests or attempts. Wait for `Retry-After` seconds.',
    sw: 'Umejaribu mara nyingi mno. Subiri kidogo kisha ujaribu tena.',
  },
  session_inactive: {
    en: 'The session has ended. Sign in again.',
    sw: 'Umeshatoka kwenye akaunti. Ingia tena.',
  },
  invalid_api_key: {
    en: 'The API key is malformed or unknown.',
    sw: 'Ufunguo wa API si sahihi. Angalia kama umenakiliwa wote.',
  },
  api_key_revoked: {
    en: 'The key was revoked, or its app was deleted.',
    sw: 'Ufunguo huu wa API umefutwa. Tumia mwingine.',
  },
  api_key_expired: {
    en: 'The key is past its `expires_at`.',
    sw: 'Muda wa ufunguo huu wa API umekwisha. Tengeneza mwingine.',
  },
  ip_not_allowed: {
    en: 'The key may not be used from this IP address. See its `allowed_ips`.',
    sw: 'Ufunguo huu hauruhusiwi kutumika kutoka anwani hii ya IP.',
  },
  origin_not_allowed: {
    en: 'Only pages of this service may use a session cookie.',
    sw: 'Kitendo hiki kinaruhusiwa kwenye kurasa za huduma hii tu.',
  },
  admin_required: {
    en: 'Only operators of the service may use this endpoint.',
    sw: 'Hapa ni kwa wasimamizi wa huduma.',
  },
  two_factor_required: {
    en: 'The session has no second factor. Sign in with it.',
    sw: 'Ingia tena kwa msimbo wa programu yako ya uthibitisho.',
  },
  already_member: {
    en: 'The person is a member of this business already. `details.id` names the membership.',
    sw: 'Mtu huyu ameshakuwa mwanachama. Badilisha jukumu lake kwenye orodha.',
  },
  too_many_members: {
    en: 'The business has the maximum number of members or open invitations.',
    sw: 'Biashara imefikia kikomo cha wanachama au mialiko. Ondoa au ghairi baadhi kwanza.',
  },
  invitation_for_another_address: {
    en: 'The invitation was mailed to another address. Sign in with the account of that address.',
    sw: 'Mwaliko huu ni wa barua pepe nyingine. Ingia kwa akaunti ya barua pepe hiyo.',
  },
  power_not_active_yet: {
    en: 'The role of the person is new, and this waits until `details.until` in the live environment. A member with one of `details.required_roles` can do it now, or another owner confirms the role: `POST /v1/businesses/{business_id}/members/{member_id}/confirm`.',
    sw: 'Jukumu lako ni jipya, kwa hiyo hili litawezekana baadaye. Mwambie mwanachama mwingine alifanye, au mmiliki mwingine athibitishe jukumu lako kwenye Timu.',
  },
  approvers_missing: {
    en: 'Too few members could approve: a requester never approves their own request. `details.needed` people must be able to, `details.available` would be.',
    sw: 'Watu wanaoweza kuidhinisha hawatoshi. Alika wengine kwanza.',
  },
  approval_changed: {
    en: 'What waits for approval has changed since you read it. `details.changes` says what was and what is; decide again with `details.version`.',
    sw: 'Kinachosubiri idhini kimebadilika tangu ulipokisoma. Angalia kilichobadilika, kisha uamue tena.',
  },
  insufficient_role: {
    en: 'Your role in this business does not allow it: `details.role`. The roles that do are in `details.required_roles`. See /docs/guides/members.',
    sw: 'Jukumu lako kwenye biashara hii haliruhusu hili. Muulize mmiliki wa biashara.',
  },
  insufficient_scope: {
    en: 'The key does not have the scope in `details.required_scope`.',
    sw: 'Ufunguo huu wa API hauna ruhusa ya kufanya hili.',
  },
  kyc_required: {
    en: 'The person’s identity must be verified first.',
    sw: 'Utambulisho wako unatakiwa kuthibitishwa kwanza.',
  },
  merchant_suspended: {
    en: 'Operators have suspended the live business of the account. The profile gives the reason. Payments that were already started still settle.',
    sw: 'Biashara imesimamishwa na wasimamizi. Sababu iko kwenye wasifu wako.',
  },
  business_not_verified: {
    en: 'The business must be verified first.',
    sw: 'Biashara inatakiwa kuthibitishwa kwanza.',
  },
  email_not_verified: {
    en: 'A verified e-mail address is required to create or roll a live key, and for a live payout by a signed-in user; a payout by a live key does not require it. `POST /v1/auth/email/resend` mails a code, `POST /v1/auth/email/verify` accepts it.',
    sw: 'Thibitisha barua pepe yako kwanza: tumekutumia msimbo, na unaweza kuomba mwingine kwenye wasifu wako.',
  },
  already_registered: {
    en: 'An account with this e-mail address or phone number already exists. `param` names the field.',
    sw: 'Kuna akaunti yenye barua pepe au namba hii ya simu. Ingia kwa akaunti hiyo.',
  },
  not_found: {
    en: 'The object does not exist, or is not yours. Both get the same answer.',
    sw: 'Hakuna kitu hapa, au si chako.',
  },
  invalid_state: {
    en: 'The current state does not allow this operation.',
    sw: 'Hili haliwezekani tena: limebadilika tangu ulipoangalia. Pakia ukurasa upya.',
  },
  restore_not_compared: {
    en: 'The database was restored from a backup, and the lost time has not been compared with the providers yet.',
    sw: 'Huduma inalinganisha kumbukumbu zake na mtoa huduma. Jaribu tena baadaye.',
  },
  cursor_invalid: {
    en: 'The cursor does not belong to this list. Start again without it.',
    sw: 'Orodha imebadilika. Anza tena kutoka mwanzo wa orodha.',
  },
  statement_too_long: {
    en: 'A month of more than 10,000 lines is not available as PDF. Request it as `text/csv`.',
    sw: 'Taarifa ya mwezi huu ni ndefu mno kwa PDF. Pakua kama CSV.',
  },
  host_not_registered: {
    en: 'Register the host and prove that it is yours (`POST /v1/merchant/redirect-hosts`), then set the URL.',
    sw: 'Tovuti hii bado haijathibitishwa kuwa ni yako. Ithibitishe kwanza, au tumia tovuti ya biashara yako.',
  },
  name_reserved: {
    en: 'The name belongs to a network, a bank or a public office. Choose another, or contact us if it is yours.',
    sw: 'Hili ni jina la mtandao, benki au ofisi. Chagua jingine, au tuandikie kama ni lako.',
  },
  too_many_objects: {
    en: 'The maximum number of these objects exists. `details` has the number, and the message says how there is room again.',
    sw: 'Umefikia idadi ya juu. Futa kimoja usichotumia, au kamilisha uthibitisho wako.',
  },
  too_many_hosts: {
    en: 'Remove a redirect host that is no longer used.',
    sw: 'Umefikia kikomo cha tovuti. Ondoa moja usiyoitumia.',
  },
  too_many_filters: {
    en: 'You have saved the maximum number of filters of this list. Delete one first.',
    sw: 'Umefikia kikomo cha vichujio vya orodha hii. Futa kimoja kwanza.',
  },
  slug_taken: {
    en: 'The slug is taken. Choose another, or leave it out.',
    sw: 'Anwani hii imeshachukuliwa. Chagua nyingine.',
  },
  amount_required: {
    en: 'The payer chooses the amount on this page, so `amount` is required.',
    sw: 'Weka kiasi.',
  },
  amount_too_small: {
    en: 'The amount is below the minimum of the page or of a payout, or below TZS 500.',
    sw: 'Kiasi ni kidogo mno. Weka kiasi kikubwa zaidi.',
  },
  refund_exceeds_payment: {
    en: 'The refund is more than what is left of the payment: `details.refundable`, in TZS.',
    sw: 'Kiasi cha kurudisha kinazidi kilichobaki kwenye malipo.',
  },
  amount_too_large: {
    en: 'The amount is above the maximum of the page.',
    sw: 'Kiasi ni kikubwa mno. Weka kiasi kidogo zaidi.',
  },
  amount_invalid: {
    en: 'The amount is not a whole number of TZS.',
    sw: 'Kiasi lazima kiwe shilingi kamili, bila senti.',
  },
  amount_mismatch: {
    en: 'The page has a different fixed amount.',
    sw: 'Ukurasa huu una kiasi kingine kilichowekwa. Pakia ukurasa upya.',
  },
  custom_field_required: {
    en: 'The page needs a value for this field: `custom_fields` of `GET /v1/pay/{slug}`.',
    sw: 'Jibu sehemu zote za lazima kwenye ukurasa huu.',
  },
  custom_field_invalid: {
    en: 'The value does not fit the type or the choices of the field.',
    sw: 'Jibu halilingani na aina au machaguo ya sehemu.',
  },
  custom_field_unknown: {
    en: 'The page has no field with this key.',
    sw: 'Ukurasa hauna sehemu yenye jina hili.',
  },
  currency_unsupported: {
    en: 'The only currency is TZS.',
    sw: 'Tunapokea shilingi za Tanzania (TZS) tu.',
  },
  max_payments_invalid: {
    en: 'An invoice has `max_payments` 1, and an event must have a `max_payments`.',
    sw: 'Idadi ya malipo haifai kwa aina hii ya ukurasa: ankara hulipwa mara moja, na tukio lina idadi ya nafasi.',
  },
  phone_invalid: {
    en: 'The number is not a Tanzanian mobile number.',
    sw: 'Hii si namba ya simu ya Tanzania. Andika kama 0754 123 456.',
  },
  network_unsupported: {
    en: 'Numbers of this network cannot be used here.',
    sw: 'Namba za mtandao huu hazitumiki hapa. Tumia namba ya mtandao mwingine.',
  },
  page_inactive: {
    en: 'The page does not accept payments at the moment.',
    sw: 'Ukurasa huu haupokei malipo kwa sasa.',
  },
  page_expired: {
    en: 'The page has expired.',
    sw: 'Muda wa ukurasa huu umekwisha.',
  },
  page_sold_out: {
    en: 'The page has no places left.',
    sw: 'Nafasi zimekwisha.',
  },
  request_paid: {
    en: 'The payment request is already paid.',
    sw: 'Ombi hili la malipo limeshalipwa.',
  },
  request_cancelled: {
    en: 'The merchant has cancelled the payment request.',
    sw: 'Mfanyabiashara ameghairi ombi hili la malipo.',
  },
  request_busy: {
    en: 'A payment for the payment request is in progress. Another one can start when it has ended without success.',
    sw: 'Malipo ya ombi hili yanaendelea. Subiri matokeo yake kabla ya kulipa tena.',
  },
  test_environment_only: {
    en: 'Only webhooks of test apps can be tested, and only prompts of simulated test payments answered. Live gets real events and real payers only.',
    sw: 'Hili linawezekana kwenye mazingira ya majaribio tu.',
  },
  idempotency_key_required: {
    en: 'A payout requires your own key in the header `Idempotency-Key`, so that a repeated request pays only once.',
    sw: 'Ombi hili linahitaji `Idempotency-Key`, ili pesa zisitumwe mara mbili.',
  },
  idempotency_in_progress: {
    en: 'A request with this key is in progress. Try again after `Retry-After` seconds.',
    sw: 'Ombi hilihili linaendelea. Subiri kidogo kisha ujaribu tena.',
  },
  recipient_exists: {
    en: 'A recipient with this number is saved already. `details.id` names it.',
    sw: 'Mpokeaji mwenye namba hii ameshahifadhiwa.',
  },
  already_created: {
    en: 'This idempotency key has already created the object in `details.id`. The first answer contained a secret, or has been erased, so it is not repeated. Use a new key to create another object.',
    sw: 'Ombi hili lilishatekelezwa. Angalia kwenye orodha kabla ya kujaribu tena.',
  },
  insufficient_balance: {
    en: 'The wallet does not have enough for the amount and the fee. `details.available` gives its balance, or null to those who may not see it.',
    sw: 'Salio halitoshi kwa kiasi na makato.',
  },
  payouts_on_hold: {
    en: 'Payouts of this account are on hold, and nothing was debited. Either operators are reviewing the account, the provider sent contradictory answers about an earlier payout, or the account owes money (`details.reason`, `details.owed`).',
    sw: 'Kutuma pesa kumesimamishwa: mtoa huduma anajipinga kuhusu malipo ya awali, au kuna deni ambalo malipo yajayo yatalipa kwanza.',
  },
  payout_must_wait: {
    en: 'The account was changed recently (`details.reason`), so payouts wait until `details.until`. Nothing was debited.',
    sw: 'Kutuma pesa kunasubiri kwa muda baada ya akaunti kubadilishwa, ili mtu mwingine asichukue pesa zako.',
  },
  batch_empty: {
    en: 'The payout batch has no rows.',
    sw: 'Faili halina mistari ya malipo.',
  },
  batch_too_large: {
    en: 'A payout batch has at most 10,000 rows. Split it into several batches.',
    sw: 'Kundi moja lina mistari 10,000 tu. Ligawe kwenye mafaili kadhaa.',
  },
  csv_header_invalid: {
    en: 'The first line of the file must name its columns. `details.missing`, `details.twice` and `details.unknown` list what is wrong.',
    sw: 'Mstari wa kwanza wa faili lazima utaje safu zake. Tumia mfano wa faili.',
  },
  csv_invalid: {
    en: 'The file is not valid CSV near `details.line`: a quote is not closed, or stands inside a cell.',
    sw: 'Faili halisomeki kama CSV: alama ya nukuu haijafungwa, au iko ndani ya neno.',
  },
  csv_line_too_long: {
    en: 'A line of the file is longer than 16,384 characters.',
    sw: 'Mstari mmoja wa faili ni mrefu mno. Ufupishe.',
  },
  file_encoding_unsupported: {
    en: 'The file is not text in UTF-8. Save it as "CSV UTF-8", and send that file.',
    sw: 'Faili si maandishi ya UTF-8. Lihifadhi kama "CSV UTF-8", kisha ulitume.',
  },
  file_type_unsupported: {
    en: 'The file is an archive, a workbook or a PDF, not a CSV file. Save the sheet as "CSV UTF-8", and send that file.',
    sw: 'Hili si faili la CSV. Hifadhi jedwali kama "CSV UTF-8", kisha ulitume.',
  },
  proposal_changed: {
    en: 'The proposal for the break has changed. Read it again.',
    sw: 'Pendekezo limebadilika. Lisome tena.',
  },
  self_approval_forbidden: {
    en: 'Another operator must decide, because you made the request or the money is yours.',
    sw: 'Uliomba hili mwenyewe, au pesa ni zako. Mtu mwingine lazima aamue.',
  },
  phone_busy: {
    en: 'A payment request of this page is open on this phone, or the phone got too many requests (`details.reason`). Wait for `Retry-After` seconds.',
    sw: 'Simu hii ina ombi jingine la malipo. Lijibu, au subiri kidogo kisha ujaribu tena.',
  },
  idempotency_key_reused: {
    en: 'The key was used with a different body. Use a new key for a new payment. Checkouts are public, so their keys must be random.',
    sw: 'Ombi hili limebadilika tangu lilipotumwa. Pakia ukurasa upya, na uangalie kama limefanyika.',
  },
  webhook_limit_reached: {
    en: 'The owner has reached the maximum number of webhooks in this environment (`details.limit`).',
    sw: 'Umefikia kikomo cha webhook. Ondoa moja usiyoitumia.',
  },
  url_malformed: {
    en: 'The webhook URL cannot be parsed.',
    sw: 'Anwani ya webhook si sahihi. Andika kama https://example.com/webhook.',
  },
  url_too_long: {
    en: 'The webhook URL is longer than 2048 characters.',
    sw: 'Anwani ya webhook ni ndefu mno. Mwisho ni herufi 2048.',
  },
  url_not_https: {
    en: 'The webhook URL must use https.',
    sw: 'Anwani ya webhook lazima ianze na https.',
  },
  url_has_credentials: {
    en: 'The webhook URL must not contain a user name or password.',
    sw: 'Ondoa jina la mtumiaji na nenosiri kwenye anwani ya webhook.',
  },
  url_has_fragment: {
    en: 'The webhook URL must not contain a fragment.',
    sw: 'Ondoa sehemu inayoanza na # kwenye anwani ya webhook.',
  },
  url_ip_literal: {
    en: 'The webhook URL must use a host name, not an IP address.',
    sw: 'Tumia jina la tovuti kwenye anwani ya webhook, si anwani ya IP.',
  },
  url_port_forbidden: {
    en: 'The webhook URL has a port below 1024 other than 443, or the port of another well-known service.',
    sw: 'Mlango (port) huu hauruhusiwi kwenye anwani ya webhook. Tumia 443.',
  },
  url_own_host: {
    en: 'The webhook URL points to this service.',
    sw: 'Anwani ya webhook inaelekea kwenye huduma hii yenyewe. Tumia seva yako.',
  },
  url_not_resolvable: {
    en: 'The host name of the webhook URL has no address.',
    sw: 'Jina la tovuti kwenye anwani ya webhook halipatikani. Angalia kama limeandikwa vizuri.',
  },
  url_private_target: {
    en: 'The host name of the webhook URL leads to an address outside the public internet.',
    sw: 'Anwani ya webhook haifikiki kwenye intaneti ya umma. Tumia seva inayofikika.',
  },
  representative_kyc_required: {
    en: 'Your own identity must be verified before you submit a business.',
    sw: 'Utambulisho wako mwenyewe unatakiwa kuthibitishwa kwanza.',
  },
  business_already_verified: {
    en: 'The business is verified and cannot be submitted or changed again.',
    sw: 'Biashara imeshathibitishwa: hakuna kinachobadilishwa hapa tena. Wasiliana nasi.',
  },
  kyb_not_submitted: {
    en: 'The business has not submitted its documents yet.',
    sw: 'Biashara bado haijawasilisha hati zake.',
  },
  kyc_not_submitted: {
    en: 'The person has not submitted their documents yet.',
    sw: 'Mtu huyu bado hajawasilisha hati zake.',
  },
  documents_not_opened: {
    en: 'Open every document before you decide. `details.purposes` lists those you have not opened.',
    sw: 'Fungua kila hati kabla ya kuamua: mojawapo hujaifungua ilivyo sasa.',
  },
  self_review_forbidden: {
    en: 'You cannot decide about your own account or business. Another reviewer must decide.',
    sw: 'Huwezi kuamua kuhusu akaunti au biashara yako. Mkaguzi mwingine lazima aamue.',
  },
  review_claimed: {
    en: 'Another operator is working on this case. Ask them, or have it released.',
    sw: 'Msimamizi mwingine anashughulikia suala hili. Muulize, au omba aliachie.',
  },
  review_version_changed: {
    en: 'The case has changed since you read it. `details.version` is the newest version.',
    sw: 'Suala hili limebadilika tangu ulipolisoma. Lisome tena.',
  },
  unsupported_document_type: {
    en: 'Documents must be JPEG, PNG or PDF.',
    sw: 'Hati lazima iwe JPEG, PNG au PDF.',
  },
  filename_extension_mismatch: {
    en: 'The extension of the file name does not match the content type.',
    sw: 'Mwisho wa jina la faili haulingani na aina yake.',
  },
  document_url_invalid: {
    en: 'The URL is not one that you were given for this purpose.',
    sw: 'Hati hii haikupakiwa hapa. Ipakie tena.',
  },
  document_not_uploaded: {
    en: 'No file was uploaded to the URL, or the file was refused.',
    sw: 'Hakuna faili lililopakiwa, au lilikataliwa. Lipakie tena.',
  },
  document_unreadable: {
    en: 'The file was stored but cannot be opened. Upload another one.',
    sw: 'Faili halifunguki. Pakia jingine.',
  },
  document_content_mismatch: {
    en: 'The content of the file does not match its declared type.',
    sw: 'Yaliyomo kwenye faili hayalingani na aina yake. Pakia faili jingine.',
  },
  document_active_content: {
    en: 'The PDF contains scripts, actions or embedded files.',
    sw: 'PDF ina programu au mafaili ndani yake. Pakia nakala isiyo nayo.',
  },
  document_encrypted: {
    en: 'The PDF is encrypted.',
    sw: 'PDF imefungwa kwa nenosiri. Pakia nakala isiyofungwa.',
  },
  document_too_complex: {
    en: 'The file has too many pages or pixels to be opened.',
    sw: 'Faili lina kurasa nyingi au picha kubwa mno. Pakia dogo zaidi.',
  },
  document_infected: {
    en: 'The virus scanner found malware in the file.',
    sw: 'Faili lina virusi. Pakia jingine.',
  },
  logo_invalid: {
    en: 'The picture cannot be used as a logo. The message says why: its type, its size in pixels, or that it cannot be opened.',
    sw: 'Picha hii haiwezi kuwa nembo. Tumia PNG, JPEG au WebP yenye upande wa pikseli 48 au zaidi, isiyo ndefu kupita mara nne ya upana wake.',
  },
  logo_removed: {
    en: 'Operators have removed the same logo. Read the reason in `removal`, and send another picture.',
    sw: 'Nembo hii iliondolewa na wasimamizi. Soma sababu, kisha weka nyingine.',
  },
  document_too_large: {
    en: 'The file is larger than `max_bytes`.',
    sw: 'Faili ni kubwa mno. Pakia dogo zaidi.',
  },
  upload_too_slow: {
    en: 'The file did not arrive in time. Send it again to the same URL.',
    sw: 'Faili halikufika kwa wakati. Litume tena.',
  },
  upload_cut: {
    en: 'The connection ended before the whole file arrived. Send it again to the same URL.',
    sw: 'Mtandao umekatika kabla faili lote kufika. Litume tena.',
  },
  signature_required: {
    en: 'Documents can be opened only with a signed URL.',
    sw: 'Hati hufunguliwa kwa kiungo maalumu tu. Ifungue tena.',
  },
  signature_invalid: {
    en: 'The signed URL was changed, or was used for a different request than it was issued for.',
    sw: 'Kiungo cha hati si sahihi. Ifungue tena.',
  },
  address_used: {
    en: 'The signed URL has expired or was already used.',
    sw: 'Kiungo cha hati kimepitwa na wakati au kimeshatumika. Anza tena.',
  },
  not_your_view: {
    en: 'The URL works only in the session that requested it.',
    sw: 'Kiungo hiki kinafanya kazi kwa aliyekiomba tu.',
  },
  storage_unavailable: {
    en: 'Documents cannot be stored or read at the moment. Nothing has changed.',
    sw: 'Hati haziwezi kuhifadhiwa wala kusomwa kwa sasa. Jaribu tena baada ya muda mfupi.',
  },
  scanner_unavailable: {
    en: 'Documents cannot be scanned at the moment. Nothing has changed.',
    sw: 'Hati haziwezi kukaguliwa kwa sasa. Jaribu tena baada ya muda mfupi.',
  },
  provider_unavailable: {
    en: 'Mobile money cannot be reached, or is switched off. Nothing was stored, sent or debited. Try again after `Retry-After` seconds.',
    sw: 'Malipo kwa simu hayapatikani kwa sasa. Hakuna pesa iliyokatwa. Jaribu tena baada ya dakika chache.',
  },
  network_unavailable: {
    en: 'The network in `details.network` is switched off. Nothing was stored or sent. Use another network, or wait for `Retry-After` seconds.',
    sw: 'Mtandao huu haupatikani kwa sasa. Tumia mtandao mwingine, au jaribu tena baadaye.',
  },
  invalid_signature: {
    en: 'The signature of a provider’s message is wrong.',
    sw: 'Sahihi ya ujumbe wa mtoa huduma si sahihi.',
  },
  event_changed: {
    en: 'A provider sent the same event id with a different body.',
    sw: 'Mtoa huduma ametuma tukio lilelile kwa maudhui tofauti.',
  },
  not_ready: {
    en: 'The process is not ready for traffic.',
    sw: 'Huduma inaanza. Jaribu tena baada ya muda mfupi.',
  },
  overloaded: {
    en: 'The service is temporarily unavailable. Try again after `Retry-After` seconds.',
    sw: 'Shughuli ni nyingi kwa sasa. Jaribu tena baada ya muda mfupi.',
  },
  internal_error: {
    en: 'An internal error. Quote the request id if you contact us.',
    sw: 'Kuna hitilafu upande wetu. Hakuna kilichopotea. Jaribu tena, au tutajie namba ya ombi.',
  },
} as const satisfies Record<string, { en: string; sw: string }>

/** The own sentences of fields, by their English text: a refused field has them as `message_sw`. */
export const fieldSentences: Readonly<Record<string, string>> = {
  'This field is required.': 'Sehemu hii inahitajika.',
  'At most 20 entries.': 'Visizidi 20.',
  'Control characters and line breaks are not allowed here.': 'Andika kwenye mstari mmoja, bila alama zisizoonekana.',
  'Control characters are not allowed here.': 'Ondoa alama zisizoonekana.',
  'The year must be between 1 and 9999.': 'Mwaka uwe kati ya 1 na 9999.',
  'Enter the number as it is printed on the card.': 'Andika namba kama ilivyo kwenye kitambulisho.',
  'Use the format 2026-01.': 'Andika kama 2026-01.',
  'Enter the six digits from the mail.': 'Andika tarakimu sita ulizotumiwa kwa barua pepe.',
  'You have no second factor. Send your password.': 'Huna programu ya uthibitisho. Andika nenosiri lako.',
  'You have a second factor. Send a code from it.': 'Una programu ya uthibitisho. Andika msimbo wake.',
  'The cookie already holds the token. Remove this field.': 'Taarifa hii iko tayari kwenye kivinjari. Iondoe hapa.',
  'Send either a code or your password, not both.': 'Andika msimbo au nenosiri, si vyote viwili.',
  'Enter a valid e-mail address, such as name@example.com.': 'Andika barua pepe sahihi, kama jina@example.com.',
  'Enter a valid mobile number, such as +255712345678.': 'Andika namba sahihi ya simu, kama 0712 345 678.',
  'Must be in the future.': 'Chagua muda ujao.',
  'Use an IPv4 or IPv6 address, or a network such as 203.0.113.0/24.':
    'Tumia anwani ya IPv4 au IPv6, au mtandao kama 203.0.113.0/24.',
  'Not a valid id for this field.': 'Kitambulisho hiki si sahihi.',
  'The query and the body have different values. Send one.': 'Kuna maadili mawili tofauti. Tuma moja tu.',
  'Enter at least one visible character.': 'Andika angalau herufi moja inayoonekana.',
  'Enter at least two characters.': 'Andika angalau herufi mbili.',
  'Use an https URL without user name, spaces or control characters.':
    'Tumia anwani ya https isiyo na jina la mtumiaji wala nafasi.',
  'The header and the body contain different keys. Send one key.': 'Kuna funguo mbili tofauti. Tuma moja tu.',
  'Use a whole number, digits only.': 'Tumia namba kamili, tarakimu tu.',
  'Use 1 to 40 of A–Z, a–z, 0–9, _ and -.': 'Tumia herufi 1 hadi 40: A–Z, a–z, 0–9, _ na -.',
  'Use 1 to 40 of a–z, 0–9 and _, starting with a letter.': 'Tumia herufi 1 hadi 40: a–z, 0–9 na _. Ianze na herufi.',
  'Set at least one filter.': 'Weka angalau kichujio kimoja.',
  'Send either period, or from and to.': 'Tuma `period`, au `from` na `to`.',
  'Use a day that is not before from.': 'Chagua siku isiyotangulia ya kwanza.',
  'Use an amount that is not below the smallest.': 'Weka kiasi kisichopungua kile cha chini.',
  'This page does not exist.': 'Ukurasa huu haupo.',
  'Each choice must be different.': 'Kila chaguo liwe tofauti.',
  'Each key must be different.': 'Kila ufunguo uwe tofauti.',
  'Write the number with its country code, such as +255754123456.': 'Andika namba pamoja na msimbo wa nchi, mfano +255754123456.',
  'Write the colour as # and six hexadecimal digits, such as #0a6148.':
    'Andika rangi kama # na herufi sita za 0–9 na a–f, mfano #0a6148.',
  'Use letters, digits, points and underscores.': 'Tumia herufi, tarakimu, nukta na mistari ya chini.',
  'Enter the reason. The owner reads this text.': 'Andika sababu. Mmiliki ataisoma.',
  'There is no such provider in this environment.': 'Hakuna mtoa huduma kama huyu kwenye mazingira haya.',
  'This provider cannot list its records. Use `recent`.': 'Mtoa huduma huyu hawezi kuorodhesha kumbukumbu zake. Tumia `recent`.',
  'Send a day with a daily run, and only with a daily run.': 'Taja siku kwa ulinganishi wa siku tu.',
  'This payment does not exist in the environment of the break.': 'Malipo haya hayapo kwenye mazingira ya tofauti hii.',
  'This month has not started yet. Choose an earlier one.': 'Mwezi huu bado haujaanza. Chagua wa nyuma.',
  'Send either the changes of the row, or `removed`.': 'Badilisha mstari au uuondoe, si vyote viwili.',
  'This is not a Tanzanian phone number.': 'Hii si namba ya simu ya Tanzania. Andika kama 0754 123 456.',
  'Use 1 to 255 printable ASCII characters.': 'Tumia herufi 1 hadi 255 za kawaida (ASCII).',
  'Must be later than `from`.': 'Mwisho uwe baada ya mwanzo.',
  'Events can be sent again for 30 days only. Choose a later start.':
    'Matukio hutumwa tena kwa siku 30 tu. Chagua mwanzo wa karibu zaidi.',
  'Enter the number as it is printed on the card: letters, digits, hyphens.':
    'Andika namba kama ilivyo kwenye kitambulisho: herufi, tarakimu na vistari.',
  'This user is not an operator.': 'Mtu huyu si msimamizi wa huduma.',
  'Enter the reason for the rejection. The owner reads this text.': 'Andika sababu ya kukataa. Mmiliki ataisoma.',
  'Send the number of your identity card.': 'Andika namba ya kitambulisho chako.',
  'This field may be blank only for an informal sole_proprietor.': 'Sehemu hii inaachwa wazi kwa mtu binafsi asiyesajiliwa tu.',
  'Enter a valid phone number, such as +255222112345.': 'Andika namba sahihi ya simu, kama 022 211 2345.',
  'Set an amount, or let the payer choose it with allow_custom_amount.': 'Weka kiasi, au mruhusu mlipaji akichague.',
  'An invoice is paid once. Set max_payments to 1, or leave it out.':
    'Ankara hulipwa mara moja. Weka idadi ya malipo kuwa 1, au iache.',
  'An event has a limited number of places. Set max_payments.': 'Tukio lina idadi ya nafasi. Weka idadi ya malipo.',
  'Use 3 to 60 of a–z, 0–9 and hyphens, with no hyphen at the start or end.':
    'Tumia herufi 3 hadi 60: a–z, 0–9 na vistari, bila kistari mwanzoni au mwishoni.',
  'Pages are in TZS only.': 'Kurasa ni za shilingi (TZS) tu.',
  'Send id or slug, not both. A slug cannot be changed.': 'Tumia id au slug, si vyote viwili. Slug haibadilishwi.',
  'Send the id or the slug of the page.': 'Taja id au slug ya ukurasa.',
  'Use a file name without slashes and control characters.': 'Tumia jina la faili lisilo na mikwaju (/).',
}

/** The codes that only a field has. */
const fieldCodes: Readonly<Record<string, string>> = {
  mistyped: 'Hakuna malipo yenye namba hii, na herufi yake ya mwisho hailingani na nyingine. Angalia kama kuna kosa la kuandika.',
  password_common:
    'Nenosiri hili liko kwenye orodha za manenosiri yanayojulikana, au karibu sawa nalo. Chagua jingine: sentensi ni nzuri.',
  password_personal:
    'Nenosiri hili limetokana na jina lako, barua pepe, namba ya simu au jina letu. Chagua jingine: sentensi ni nzuri.',
  password_guessable:
    'Nenosiri hili linakisiwa haraka: marudio, safu za vitufe na miaka havisaidii. Chagua jingine: sentensi ni nzuri.',
}

const swahili: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(errorCodes).map(([code, { sw }]) => [code, sw])),
  ...fieldCodes,
  ...fieldSentences,
}

/** What the code means and what to do about it; empty if it is not a code of the API. */
export function meaningOf(code: string): string {
  return code in errorCodes ? errorCodes[code as keyof typeof errorCodes].en : ''
}

/** The Swahili sentence of a code, or of the own sentence of a field; undefined if there is none. */
export function swahiliOf(codeOrSentence: string): string | undefined {
  return swahili[codeOrSentence]
}
