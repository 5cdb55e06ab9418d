//! Changes of namespaces.

use super::Admin;
use crate::model::error::{Error, Result};
use crate::model::namespace::Namespace;
use crate::model::table_name::{TableName, check_namespace};
use crate::pb;

impl Admin {
    /// Creates a namespace.
    ///
    /// # Errors
    ///
    /// If it exists, its name is not valid, or the master refuses it.
    #[doc(alias = "createNamespace")]
    pub async fn create_namespace(&self, namespace: impl Into<Namespace>) -> Result<()> {
        self.change_namespace("create_namespace", "CreateNamespace", &namespace.into()).await
    }

    /// Gives a namespace these settings, in place of those that it has.
    ///
    /// # Errors
    ///
    /// If it does not exist, or the master refuses it.
    #[doc(alias = "modifyNamespace")]
    pub async fn alter_namespace(&self, namespace: &Namespace) -> Result<()> {
        self.change_namespace("alter_namespace", "ModifyNamespace", namespace).await
    }

    async fn change_namespace(
        &self,
        operation: &'static str,
        method: &'static str,
        namespace: &Namespace,
    ) -> Result<()> {
        check_namespace(namespace.name())?;
        let (nonce_group, nonce) = self.nonce();
        let request = pb::NamespaceRequest { namespace_descriptor: namespace.to_pb(), nonce_group, nonce };
        let done = self.run(method, &request, self.deadline()).await;
        done.map_err(|error| error.of_namespace(operation, namespace.name()))
    }

    /// Drops a namespace, which must have no tables.
    ///
    /// # Errors
    ///
    /// If it does not exist, or has tables.
    #[doc(alias = "deleteNamespace")]
    pub async fn drop_namespace(&self, name: impl AsRef<str>) -> Result<()> {
        let name = name.as_ref();
        check_namespace(name)?;
        let (nonce_group, nonce) = self.nonce();
        let request = pb::DeleteNamespaceRequest { namespace_name: name.into(), nonce_group, nonce };
        let done = self.run("DeleteNamespace", &request, self.deadline()).await;
        done.map_err(|error| error.of_namespace("drop_namespace", name))
    }

    /// All namespaces, with HBase's own ones, `default` and `hbase`.
    ///
    /// # Errors
    ///
    /// If no response of a master comes before the timeout.
    #[doc(alias = "listNamespaceDescriptors")]
    pub async fn namespaces(&self) -> Result<Vec<Namespace>> {
        let request = pb::ListNamespaceDescriptorsRequest {};
        let response: pb::ListNamespaceDescriptorsResponse =
            self.read("ListNamespaceDescriptors", &request, self.deadline()).await?;
        response.namespace_descriptor.iter().map(Namespace::from_pb).collect()
    }

    /// A namespace with its settings.
    ///
    /// # Errors
    ///
    /// If it does not exist.
    #[doc(alias = "getNamespaceDescriptor")]
    pub async fn describe_namespace(&self, name: impl AsRef<str>) -> Result<Namespace> {
        let name = name.as_ref();
        check_namespace(name)?;
        let request = pb::GetNamespaceDescriptorRequest { namespace_name: name.into() };
        let read = self.read("GetNamespaceDescriptor", &request, self.deadline()).await;
        let response: pb::GetNamespaceDescriptorResponse =
            read.map_err(|error| error.of_namespace("describe_namespace", name))?;
        Namespace::from_pb(&response.namespace_descriptor)
    }

    /// The names of the tables of a namespace.
    ///
    /// # Errors
    ///
    /// If it does not exist.
    #[doc(alias = "listTableNamesByNamespace")]
    pub async fn tables_of(&self, namespace: impl AsRef<str>) -> Result<Vec<TableName>> {
        let name = namespace.as_ref();
        check_namespace(name)?;
        let request = pb::ListTableNamesByNamespaceRequest { namespace_name: name.into() };
        let read = self.read("ListTableNamesByNamespace", &request, self.deadline()).await;
        let response: pb::ListTableNamesByNamespaceResponse =
            read.map_err(|error| error.of_namespace("tables_of", name))?;
        let names = response.table_name.iter().map(TableName::from_pb).collect::<Option<_>>();
        names.ok_or_else(|| Error::malformed("the response has a table whose name can't be decoded"))
    }
}
