//! The system's GSSAPI. Its calls may ask Kerberos' servers, and block until these answer.

use libgssapi::context::{ClientCtx, CtxFlags, SecurityContext};
use libgssapi::credential::{Cred, CredUsage};
use libgssapi::error::Error;
use libgssapi::name::Name;
use libgssapi::oid::{GSS_MECH_KRB5, GSS_NT_KRB5_PRINCIPAL, OidSet};

use super::Protection;
use crate::model::error::Cause;

/// The client's side of a conversation with one server.
pub(crate) struct Context {
    context: ClientCtx,
    server: String,
}

impl Context {
    /// With the tickets of this principal, or of whom there are tickets.
    pub(super) fn new(principal: Option<&str>, server: String) -> Result<Self, Cause> {
        let name = |principal: &str| Name::new(principal.as_bytes(), Some(GSS_NT_KRB5_PRINCIPAL));
        let failed = |error| failed("no Kerberos tickets", error);
        let mechanisms = OidSet::singleton(GSS_MECH_KRB5).map_err(failed)?;
        let principal = principal.map(name).transpose().map_err(failed)?;
        let tickets =
            Cred::acquire(principal.as_ref(), None, CredUsage::Initiate, Some(&mechanisms)).map_err(failed)?;
        let target = name(&server).map_err(failed)?;
        let flags = CtxFlags::GSS_C_MUTUAL_FLAG
            | CtxFlags::GSS_C_REPLAY_FLAG
            | CtxFlags::GSS_C_SEQUENCE_FLAG
            | CtxFlags::GSS_C_INTEG_FLAG
            | CtxFlags::GSS_C_CONF_FLAG;
        Ok(Self { context: ClientCtx::new(Some(tickets), target, flags, Some(GSS_MECH_KRB5)), server })
    }

    /// The token to send to the server, after the one that came from it.
    pub(super) fn step(&mut self, token: Option<&[u8]>) -> Result<Vec<u8>, Cause> {
        let next = self.context.step(token, None);
        let next = next.map_err(|error| failed(&format!("no Kerberos with {}", self.server), error))?;
        if self.complete() && !self.flags()?.contains(CtxFlags::GSS_C_MUTUAL_FLAG | CtxFlags::GSS_C_INTEG_FLAG) {
            return Err(Cause::security(format!("{} did not show by Kerberos who it is", self.server)));
        }
        Ok(next.map(|token| token.to_vec()).unwrap_or_default())
    }

    pub(super) fn complete(&self) -> bool {
        self.context.is_complete()
    }

    /// Returns whether the context can protect bytes in this way.
    pub(super) fn can(&self, protection: Protection) -> Result<bool, Cause> {
        Ok(match protection {
            Protection::Authentication | Protection::Integrity => true,
            Protection::Privacy => self.flags()?.contains(CtxFlags::GSS_C_CONF_FLAG),
        })
    }

    fn flags(&self) -> Result<CtxFlags, Cause> {
        self.context.flags().map_err(|error| failed("Kerberos", error))
    }

    pub(super) fn wrap(&mut self, encrypted: bool, bytes: &[u8]) -> Result<Vec<u8>, Error> {
        Ok(self.context.wrap(encrypted, bytes)?.to_vec())
    }

    /// The bytes that were wrapped, if the token is whole, and in its place among all that came.
    pub(super) fn unwrap(&mut self, token: &[u8]) -> Result<Vec<u8>, Error> {
        Ok(self.context.unwrap(token)?.to_vec())
    }
}

/// KRB5_KDC_UNREACH: no server of Kerberos answers, which may pass.
const UNREACHABLE: i32 = -1_765_328_228;

fn failed(what: &str, error: Error) -> Cause {
    let text = format!("{what}: {error}");
    match error.minor.cast_signed() == UNREACHABLE {
        true => Cause::said(text),
        false => Cause::security(text),
    }
}
